#include "pubsub/token/token_rights.h"

#include <algorithm>

namespace qps {

Result<Rights> rights_by_token(const Join& join, const TokenKey& key, WallTime now) {
  if (join.token.empty()) {
    return qvid::Error{"this broker wants a token: ask who runs it for one"};
  }
  const auto claims = verify_token(join.token, key, now);
  if (!claims) return claims.error();
  const bool joins = !join.room.empty();
  if (joins && claims->room != "*" && claims->room != join.room) {
    return qvid::Error{"the token is for the room '" + claims->room + "', not for '" + join.room +
                       "'"};
  }
  if (joins && !join.name.empty() && claims->name != "*" && claims->name != join.name) {
    return qvid::Error{"the token is for the name '" + claims->name + "', not for '" + join.name +
                       "'"};
  }
  if (!joins && !claims->admin) return qvid::Error{"the token gives no right to administer"};
  return Rights{.publish = claims->publish,
                .subscribe = claims->subscribe,
                .admin = claims->admin,
                .admin_room = claims->room,
                .valid_for = std::min(claims->expires - now, kLongestValidity)};
}

}  // namespace qps
