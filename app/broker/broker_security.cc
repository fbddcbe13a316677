#include "app/broker/broker_security.h"

namespace qvid::app {

void add_broker_security(CLI::App& command, BrokerSecurityArguments& a) {
  auto* key = command.add_option("--token-key", a.token_key,
                                 "Let in only who has a token of this key file, as `qvid token` "
                                 "makes them; or of a folder of such files, each named as its "
                                 "tokens name it");
  command.add_option("--token-audience", a.audience,
                     "This broker's name: take tokens that are for it alone");
  command.add_option(
      "--token-revoked", a.revoked,
      "File of the tokens that were called back, as `qvid token --revoke` writes it");
  command
      .add_option("--token-reload", a.reload,
                  "Members whom their token would not let in any more when these files change: "
                  "close or keep them (close)")
      ->check(CLI::IsMember({"close", "keep"}));
  command.add_flag("--local-admin", a.local_admin,
                   "Without tokens: who comes from this machine administers, also by a proxy or "
                   "tunnel on it");
  command
      .add_flag("--open", a.open,
                "Without tokens: let everybody who reaches it join, also from other machines")
      ->excludes(key);
  command
      .add_option("--max-per-address", a.max_per_address,
                  "Sessions from one address at the same time, other than this machine's own (64)")
      ->check(CLI::Range(1, 100'000));
}

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
