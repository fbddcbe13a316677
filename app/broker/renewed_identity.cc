#include "app/broker/renewed_identity.h"

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
