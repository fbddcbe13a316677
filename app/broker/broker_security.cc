#include "app/broker/broker_security.h"

namespace qvid::app {

void apply_security(const BrokerSecurityArguments& a, BrokerConfig& config) {
  if (a.open) {
    config.open = true;
    config.token_key.clear();
  }
  if (a.token_key) config.token_key = *a.token_key;
  if (a.audience) config.token_audience = *a.audience;
  if (a.revoked) config.token_revoked = *a.revoked;
  if (a.reload) config.token_reload = *a.reload;
  if (a.local_admin) config.local_admin = true;
  if (a.max_per_address) config.max_per_address = *a.max_per_address;
}

std::vector<std::filesystem::path> token_files(const BrokerConfig& config) {
  std::vector<std::filesystem::path> files;
  for (const std::string& file : {config.token_key, config.token_revoked}) {
    if (!file.empty()) files.emplace_back(file);
  }
  return files;
}

Result<Admission> broker_admission(const BrokerConfig& a, const paceline::Address& listen) {
  if (a.token_key.empty() && !(a.token_audience.empty() && a.token_revoked.empty())) {
    return Error{"token_audience and token_revoked are of tokens: say token_key, too"};
  }
  return admission({.open = a.open,
                    .token_key = a.token_key,
                    .passphrase = {},
                    .token_audience = a.token_audience,
                    .token_revoked = a.token_revoked},
                   listen, {.could = "join every room", .way = "--token-key"});
}

}  // namespace qvid::app
