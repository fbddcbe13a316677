// Any text as a token, as the claims of one that is signed, and as a list of those called back: refused
// with a reason, or such that a token which is made of it says the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pubsub/token/revoked_tokens.h"
#include "pubsub/token/token.h"
#include "pubsub/token/token_keys.h"

namespace {

using namespace qps;
using namespace std::chrono_literals;

bool same(const TokenClaims& a, const TokenClaims& b) {
  return a.room == b.room && a.name == b.name && a.publish == b.publish &&
         a.subscribe == b.subscribe && a.admin == b.admin && a.expires == b.expires &&
         a.audience == b.audience && (a.id == b.id || b.id.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TokenKey key = *TokenKey::from_text("0123456789abcdef0123456789abcdef");
  constexpr WallTime kNow{1'800'000'000s};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto token = verify_token(text, key, kNow);
  if (token ? token->expires <= kNow : token.error().message.empty()) std::abort();
  const auto id = token_id(text);
  if (id ? !is_token_id(*id) : id.error().message.empty()) std::abort();
  if (token && (!id || *id != token->id)) std::abort();
  const auto revoked = RevokedTokens::parse(text);
  if (!revoked && revoked.error().message.empty()) std::abort();
  const auto claims = parse_claims(text, kNow);
  if (!claims && claims.error().message.empty()) std::abort();
  if (claims) {
    const auto made = issue_token(*claims, key, kNow);
    const bool lasts = claims->expires > kNow && claims->expires - kNow <= kLongestValidity;
    if (lasts != static_cast<bool>(made)) std::abort();
    if (made) {
      const auto read = verify_token(*made, key, kNow);
      if (!read || !same(*read, *claims)) std::abort();
    }
  }
  return 0;
}
