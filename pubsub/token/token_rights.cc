#include "pubsub/token/token_rights.h"

#include <algorithm>
#include <optional>
#include <string>

namespace qps {

namespace {

std::optional<qvid::Error> not_for(const TokenClaims& claims, const std::string& broker) {
  if (claims.audience.empty() && broker.empty()) return std::nullopt;
  if (std::ranges::find(claims.audience, broker) != claims.audience.end()) return std::nullopt;
  if (claims.audience.empty()) {
    return qvid::Error{"the token is for no broker in particular, and this one is '" + broker +
                       "': ask who runs it for one of its own"};
  }
  return qvid::Error{"the token is for the broker '" + claims.audience[0] + "', and this one " +
                     (broker.empty() ? "has no name" : "is '" + broker + "'")};
}

}  // namespace

Result<Rights> rights_by_token(const Join& join, const TokenPolicy& policy, WallTime now) {
  if (join.token.empty()) {
    return qvid::Error{"this broker wants a token: ask who runs it for one"};
  }
  const auto claims = verify_token(join.token, policy.keys, now);
  if (!claims) return claims.error();
  if (auto error = not_for(*claims, policy.audience)) return *std::move(error);
  if (policy.revoked.has(claims->id)) {
    return qvid::Error{"the token has been called back: ask who runs the broker"};
  }
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
                .own_name = joins && claims->name == join.name,
                .valid_for = std::min(claims->expires - now, kLongestValidity)};
}

}  // namespace qps
