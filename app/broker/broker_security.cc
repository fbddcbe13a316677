#include "app/broker/broker_security.h"

#include <spdlog/spdlog.h>

#include "app/options/wall_time.h"
#include "pubsub/token/token_rights.h"

namespace qvid::app {

using Authorise = decltype(qps::BrokerOptions::authorise);

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

Result<Authorise> broker_authorise(const BrokerConfig& a, const paceline::Address& listen) {
  if (a.token_key.empty()) {
    if (a.open || listen.is_loopback()) return Authorise();
    return Error{"at " + listen.text() +
                 " everybody who reaches it could join every room: give it a --token-key, or say "
                 "--open if that is meant"};
  }
  const auto key = qps::TokenKey::load(a.token_key);
  if (!key) return Error{"token key: " + key.error().message};
  if (!key->hint().empty()) spdlog::warn("{}", key->hint());
  return Authorise([key = *key](const qps::Join& join, const qps::Origin&) {
    return qps::rights_by_token(join, key, wall_now());
  });
}

}  // namespace qvid::app
