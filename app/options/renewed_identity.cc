#include "app/options/renewed_identity.h"

#include <spdlog/spdlog.h>

#include <system_error>
#include <utility>

namespace qvid::app {

RenewedIdentity::RenewedIdentity(std::array<std::filesystem::path, 2> files, Load load)
    : files_(std::move(files)), load_(std::move(load)), read_(times()) {}

Result<std::shared_ptr<paceline::Identity>> RenewedIdentity::read() {
  read_ = times();
  return load_();
}

std::optional<Result<std::shared_ptr<paceline::Identity>>> RenewedIdentity::read_changed() {
  if (times() == read_) return std::nullopt;
  return read();
}

void RenewedIdentity::look(const Set& set) {
  auto now = read_changed();
  if (!now) return;
  if (!*now) return spdlog::error("the certificate stays as it was: {}", now->error().message);
  spdlog::info("the certificate has been replaced: its key is {}", (**now)->fingerprint());
  set(**std::move(now));
}

RenewedIdentity::Times RenewedIdentity::times() const {
  Times times;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    std::error_code none;
    const auto time = std::filesystem::last_write_time(files_[i], none);
    if (!none) times[i] = time;
  }
  return times;
}

}  // namespace qvid::app
