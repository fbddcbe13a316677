// Who may what: JSON Web Tokens (RFC 7519), signed with HMAC-SHA-256 by a key that whoever issues
// them and the broker have.
//
//   {"alg":"HS256","typ":"JWT","kid":"2026"} . {"room":"den","name":"Ann","rights":["publish"],
//                       "iat":1700000000,"exp":1700086400,"aud":"den.example","jti":"3f0c"} . signature
//
//   room    one room, or "*": every one            rights  of publish, subscribe, admin
//   name    one name; "*" or none: any             exp     the second it ends at; required
//   nbf     the second it begins at, if any        iat     when it was made; not looked at
//   aud     the broker that it is for, or several  jti     its id, to call it back by
//   kid     which key it is signed with (token_keys.h)
//
// Any other program that signs JWTs with the key file's text may issue them. Times are wall-clock
// times and given by the caller (token_clock.h). Nothing else than HS256 is taken, so there is no
// choice that an attacker could make for us.
//
// Pure, but for the two functions of files. Thread: any.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace qps {

using WallTime = std::chrono::sys_seconds;

inline constexpr std::size_t kMaxAudience = 8;   // brokers of a token
inline constexpr std::size_t kMaxTokenId = 128;  // bytes
inline constexpr std::chrono::seconds kLongestValidity = std::chrono::hours(24 * 3653);  // 10 years

struct TokenClaims {
  std::string room;        // "*": every one
  std::string name = "*";  // any
  bool publish = false;
  bool subscribe = false;
  bool admin = false;
  WallTime expires{};
  std::optional<WallTime> begins = {};     // empty: it holds at once
  std::vector<std::string> audience = {};  // brokers that it is for; empty: any that has the key
  std::string id = {};                     // empty: it has none
};

// What names a key: 1 to 64 letters, digits, dots, hyphens and underscores, and no dot first.
bool is_key_id(std::string_view text);
// What names a token: up to kMaxTokenId visible characters of ASCII but #.
bool is_token_id(std::string_view text);
// A new one: 128 random bits.
std::string new_token_id();

class TokenKeys;

// What tokens are signed with: the text of a file, without white space at its end.
class TokenKey {
 public:
  static constexpr std::size_t kLeast = 32;   // bytes: as much as the hash has (RFC 7518, 3.2)
  static constexpr std::size_t kMost = 1024;  // bytes
  static constexpr std::size_t kRandom = 32;  // bytes of a new one, written as twice as many digits

  static qvid::Result<TokenKey> from_text(std::string text);
  static qvid::Result<TokenKey> load(const std::filesystem::path& path);
  // Writes a new random key for its owner alone. A file that is there is never replaced: what was
  // issued with it would be worth nothing.
  static std::optional<qvid::Error> create(const std::filesystem::path& path);

  const std::string& text() const { return text_; }
  // What is not as it should be with the file it came from, and what to do; empty: nothing.
  const std::string& hint() const { return hint_; }

 private:
  explicit TokenKey(std::string text) : text_(std::move(text)) {}
  std::string text_;
  std::string hint_;
};

// Refused: names that no room, member or broker has, no right at all, and an end that is not within
// kLongestValidity from now. `key_id` is what the token names its key by; empty: not at all.
qvid::Result<std::string> issue_token(const TokenClaims& claims, const TokenKey& key, WallTime now,
                                      const std::string& key_id = {});

// What the token says, if it is signed with one of the keys and valid at `now`; its id is
// token_id's. `token` may be anything.
qvid::Result<TokenClaims> verify_token(std::string_view token, const TokenKeys& keys, WallTime now);

// What a token is called back by: the id that it says it has, or "sha256:" and the hash of what is
// signed of it. Whoever signed it, and whether it has ended, is not looked at.
qvid::Result<std::string> token_id(std::string_view token);

// The middle part, decoded: JSON of whoever has the key. It may have expired.
qvid::Result<TokenClaims> parse_claims(std::string_view json, WallTime now);

// A time that lies behind or ahead, for a sentence: "40 s", "3 min", "5 h", "12 days".
std::string text_of_span(std::chrono::seconds span);

}  // namespace qps
