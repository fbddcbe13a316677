// What a token lets a client of the broker do, where it asks to.
#pragma once

#include <string>

#include "base/result.h"
#include "pubsub/broker/broker.h"
#include "pubsub/token/revoked_tokens.h"
#include "pubsub/token/token.h"
#include "pubsub/token/token_keys.h"

namespace qps {

// Which tokens a broker takes.
struct TokenPolicy {
  TokenKeys keys;
  // The broker's name, that tokens are for. Empty: it has none, and takes only those that are for no
  // broker in particular (RFC 7519, 4.1.3).
  std::string audience = {};
  RevokedTokens revoked = {};
};

// Of who joins; of who only administers where `join` names no room. The error tells the client what
// is wrong with its token. Pure.
Result<Rights> rights_by_token(const Join& join, const TokenPolicy& policy, WallTime now);

}  // namespace qps
