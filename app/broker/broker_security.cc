#include "app/broker/broker_security.h"

namespace qvid::app {

void add_broker_security(CLI::App& command, BrokerSecurityArguments& a) {
  auto* key = command.add_option("--token-key", a.token_key,
                                 "Let in only who has a token of this key file, as `qvid token` "
                                 "makes them");
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
  if (a.max_per_address) config.max_per_address = *a.max_per_address;
}

Result<Admission> broker_admission(const BrokerConfig& a, const paceline::Address& listen) {
  return admission({.open = a.open, .token_key = a.token_key, .passphrase = {}}, listen,
                   {.could = "join every room", .way = "--token-key"});
}

}  // namespace qvid::app
