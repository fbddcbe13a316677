#include "app/options/renewed_identity.h"

#include <utility>

#include "app/log/log.h"

namespace qvid::app {

RenewedIdentity::RenewedIdentity(const std::array<std::filesystem::path, 2>& files, Load load)
    : files_({files.begin(), files.end()}), load_(std::move(load)) {}

Result<std::shared_ptr<paceline::Identity>> RenewedIdentity::read() {
  files_.note();
  return load_();
}

std::optional<Result<std::shared_ptr<paceline::Identity>>> RenewedIdentity::read_changed() {
  if (!files_.have_changed()) return std::nullopt;
  return load_();
}

void RenewedIdentity::look(const Set& set) {
  auto now = read_changed();
  if (!now) return;
  if (!*now) return log_error("the certificate stays as it was: {}", now->error().message);
  log_info("the certificate has been replaced: its key is {}", (**now)->fingerprint());
  set(**std::move(now));
}

}  // namespace qvid::app
