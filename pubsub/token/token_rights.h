// What a token lets a client of the broker do, where it asks to.
#pragma once

#include "base/result.h"
#include "pubsub/broker/broker.h"
#include "pubsub/token/token.h"

namespace qps {

// Of who joins; of who only administers where `join` names no room. The error tells the client what
// is wrong with its token. Pure.
Result<Rights> rights_by_token(const Join& join, const TokenKey& key, WallTime now);

}  // namespace qps
