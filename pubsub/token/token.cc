#include "pubsub/token/token.h"

#include <fcntl.h>
#include <jwt.h>
#include <openssl/sha.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/random_bytes.h"
#include "pubsub/token/token_keys.h"
#include "pubsub/wire/control_fields.h"
#include "transport/tls/tls_files.h"

namespace qps {
namespace {

using nlohmann::json;
using qvid::Error;

constexpr std::int64_t kLastSecond = 253'402'300'799;  // of the year 9999

struct FreeJwt {
  void operator()(jwt_t* jwt) const { jwt_free(jwt); }
};
using Jwt = std::unique_ptr<jwt_t, FreeJwt>;

// libjwt 1.10 has no function of its own for it.
struct FreeText {
  void operator()(char* text) const { std::free(text); }
};
using JwtText = std::unique_ptr<char, FreeText>;

const unsigned char* bytes_of(const TokenKey& key) {
  return reinterpret_cast<const unsigned char*>(key.text().data());
}

// Empty: it is none. Without a key the signature is not looked at.
Jwt decode(const std::string& token, const TokenKey* key) {
  jwt_t* jwt = nullptr;
  const int error = key != nullptr ? jwt_decode(&jwt, token.c_str(), bytes_of(*key),
                                                static_cast<int>(key->text().size()))
                                   : jwt_decode(&jwt, token.c_str(), nullptr, 0);
  return Jwt(error == 0 ? jwt : nullptr);
}

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

Error failed(const char* to_do, const std::filesystem::path& path) {
  return {std::string("cannot ") + to_do + " " + path.string() + ": " +
          std::system_category().message(errno)};
}

// A time as whole seconds since 1970.
struct Second {
  std::optional<WallTime> read(const json& value) const {
    const auto second = Number<std::int64_t>{0, kLastSecond}.read(value);
    if (!second) return std::nullopt;
    return WallTime(std::chrono::seconds(*second));
  }
  json write(WallTime time) const { return time.time_since_epoch().count(); }
};

// The names of the rights that there are, at least one.
struct RightsField {
  static constexpr std::array<std::pair<const char*, bool TokenClaims::*>, 3> kRights{
      {{"publish", &TokenClaims::publish},
       {"subscribe", &TokenClaims::subscribe},
       {"admin", &TokenClaims::admin}}};

  const char* read(const json& object, TokenClaims& claims) const {
    const auto rights = object.find("rights");
    if (rights == object.end() || !rights->is_array() || rights->empty()) return "rights";
    for (const json& right : *rights) {
      const auto* it =
          std::ranges::find_if(kRights, [&](const auto& r) { return right == r.first; });
      if (it == kRights.end()) return "rights";
      claims.*it->second = true;
    }
    return nullptr;
  }
  void write(json& object, const TokenClaims& claims) const {
    json& rights = object["rights"] = json::array();
    for (const auto& [name, right] : kRights) {
      if (claims.*right) rights.push_back(name);
    }
  }
};

constexpr Text kTokenId{kMaxTokenId, is_token_id};

// One broker, or a list of them (RFC 7519, 4.1.3).
struct AudienceField {
  static constexpr ListOf kBrokers{kName, 0, kMaxAudience};

  const char* read(const json& object, TokenClaims& claims) const {
    const auto audience = object.find("aud");
    if (audience == object.end()) return nullptr;
    auto read = kBrokers.read(audience->is_array() ? *audience : json::array({*audience}));
    if (!read) return "aud";
    claims.audience = *std::move(read);
    return nullptr;
  }
  void write(json& object, const TokenClaims& claims) const {
    if (claims.audience.empty()) return;
    object["aud"] =
        claims.audience.size() == 1 ? json(claims.audience[0]) : kBrokers.write(claims.audience);
  }
};

// What else is in a token is not looked at.
constexpr auto kClaims = record<TokenClaims>(
    required("room", &TokenClaims::room, kName), defaulted("name", &TokenClaims::name, kName),
    RightsField{}, required("exp", &TokenClaims::expires, Second{}),
    optional("nbf", &TokenClaims::begins, Second{}), AudienceField{},
    optional("jti", &TokenClaims::id, kTokenId));

// What is wrong where that claim is missing or not as it must be.
using WrongClaim = std::pair<std::string_view, const char*>;
constexpr std::array<WrongClaim, 7> kWrongClaims{
    {{"room", "the token names no room (room: a name, or *)"},
     {"name", "the token's name is none that a member may have"},
     {"rights", "the token's rights are not of publish, subscribe, admin"},
     {"exp", "the token does not say when it ends (exp, in whole seconds)"},
     {"nbf", "the token's beginning (nbf) is no time in whole seconds"},
     {"aud", "the token's brokers (aud) are no names"},
     {"jti",
      "the token's id (jti) is longer than 128 characters, or has others than visible ones"}}};

// Empty: that is no token at all, and why.
std::optional<Error> not_a_token(std::string_view token) {
  if (token.size() > kMaxToken) {
    return Error{"the token is longer than " + std::to_string(kMaxToken) + " bytes"};
  }
  if (!std::ranges::all_of(token, is_token_character) || std::ranges::count(token, '.') != 2) {
    return Error{"this is no token: one has three parts of letters and digits with dots between"};
  }
  return std::nullopt;
}
Error not_decoded() { return {"this is no token: it cannot be decoded; copy all of it"}; }

std::string hash_of(std::string_view token) {
  const std::string_view is_signed = token.substr(0, token.rfind('.'));
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char*>(is_signed.data()), is_signed.size(), hash.data());
  return "sha256:" + qvid::hexadecimal(hash);
}

}  // namespace

bool is_key_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName && !text.starts_with('.') &&
         std::ranges::all_of(text, is_token_character);
}

bool is_token_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxTokenId &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~' && c != '#'; });
}

std::string new_token_id() { return qvid::hexadecimal(qvid::random_bytes<16>()); }

qvid::Result<TokenKey> TokenKey::from_text(std::string text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  text.resize(end == std::string::npos ? 0 : end + 1);
  if (text.size() < kLeast || text.size() > kMost) {
    return Error{"a key has " + std::to_string(kLeast) + " to " + std::to_string(kMost) +
                 " bytes, this one " + std::to_string(text.size()) +
                 ": make one with qvid token --new-key FILE"};
  }
  return TokenKey(std::move(text));
}

qvid::Result<TokenKey> TokenKey::load(const std::filesystem::path& path) {
  auto text = paceline::read_file(path);
  if (!text) return text.error();
  if (!*text) {
    return Error{"there is no key file " + path.string() + ": make it with qvid token --new-key " +
                 path.string()};
  }
  auto key = from_text(**std::move(text));
  if (!key) return Error{path.string() + ": " + key.error().message};
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    key->hint_ = "others than its owner can reach the key file " + path.string() +
                 ", and who has it can make tokens: chmod 600 " + path.string();
  }
  return key;
}

std::optional<Error> TokenKey::create(const std::filesystem::path& path) {
  std::array<unsigned char, kRandom> random{};
  if (::getentropy(random.data(), random.size()) != 0) return failed("draw a key for", path);
  const std::string text = qvid::hexadecimal(random) + '\n';
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd < 0 && errno == EEXIST) {
    return Error{path.string() +
                 " is there already: tokens made with its key would be worth nothing; choose "
                 "another name, or remove it yourself"};
  }
  if (fd < 0) return failed("create", path);
  std::optional<Error> error;
  const auto written = ::write(fd, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) error = failed("write", path);
  if (::close(fd) != 0 && !error) error = failed("write", path);
  if (error) ::unlink(path.c_str());
  return error;
}

qvid::Result<std::string> issue_token(const TokenClaims& claims, const TokenKey& key, WallTime now,
                                      const std::string& key_id) {
  if (!is_name(claims.room)) return Error{"no room has such a name: 1 to 64 bytes, or * for all"};
  if (!is_name(claims.name)) return Error{"no member has such a name: 1 to 64 bytes, or * for any"};
  if (!claims.publish && !claims.subscribe && !claims.admin) {
    return Error{"a token without a right: choose of publish, subscribe, admin"};
  }
  if (claims.expires <= now || claims.expires - now > kLongestValidity) {
    return Error{"a token is valid for at least a second, and for ten years at the most"};
  }
  if (claims.audience.size() > kMaxAudience || !std::ranges::all_of(claims.audience, is_name)) {
    return Error{"no broker has such a name: 1 to 64 bytes"};
  }
  if (!claims.id.empty() && !is_token_id(claims.id)) {
    return Error{"no token has such an id: up to 128 visible characters but #"};
  }
  if (!key_id.empty() && !is_key_id(key_id)) {
    return Error{"no key has such a name: 1 to 64 letters, digits and ._-"};
  }
  jwt_t* made = nullptr;
  if (jwt_new(&made) != 0) return Error{"no memory for a token"};
  const Jwt jwt(made);
  json said = json::object();
  kClaims.write(said, claims);
  said["iat"] = Second{}.write(now);
  const std::string text = dump(said);
  if (jwt_add_grants_json(jwt.get(), text.c_str()) != 0 ||
      jwt_set_alg(jwt.get(), JWT_ALG_HS256, bytes_of(key), static_cast<int>(key.text().size())) !=
          0 ||
      (!key_id.empty() && jwt_add_header(jwt.get(), "kid", key_id.c_str()) != 0)) {
    return Error{"the token cannot be made of this: " + qvid::printable(text)};
  }
  const JwtText token(jwt_encode_str(jwt.get()));
  if (!token) return Error{"the token cannot be signed"};
  return std::string(token.get());
}

qvid::Result<TokenClaims> verify_token(std::string_view token, const TokenKeys& keys,
                                       WallTime now) {
  if (auto error = not_a_token(token)) return *std::move(error);
  const std::string text(token);
  const Jwt unverified = decode(text, nullptr);
  if (!unverified) return not_decoded();
  // Not jwt_get_alg: of what is decoded without a key libjwt 1.10 says `none`.
  const char* alg = jwt_get_header(unverified.get(), "alg");
  if (alg == nullptr || std::string_view(alg) != jwt_alg_str(JWT_ALG_HS256)) {
    return Error{"the token is signed by '" + qvid::printable(alg != nullptr ? alg : "?") +
                 "': only HS256 is taken"};
  }
  const char* kid = jwt_get_header(unverified.get(), "kid");
  const auto candidates = keys.of(kid != nullptr ? kid : "");
  if (candidates.empty()) {
    return Error{"the token is of the key '" + qvid::printable(kid) +
                 "', which this broker has no more, or not yet: ask who runs it for another"};
  }
  Jwt jwt;
  for (const TokenKey* key : candidates) {
    if (!jwt) jwt = decode(text, key);
  }
  if (!jwt || jwt_get_alg(jwt.get()) != JWT_ALG_HS256) {
    return Error{"the token is not signed with this broker's key: ask who runs it for another"};
  }
  const JwtText claims(jwt_get_grants_json(jwt.get(), nullptr));
  if (!claims) return Error{"the token says nothing"};
  auto said = parse_claims(claims.get(), now);
  if (!said) return said.error();
  if (said->expires <= now) {
    return Error{"the token has expired " + text_of_span(now - said->expires) +
                 " ago: ask for a new one"};
  }
  if (said->id.empty()) said->id = hash_of(token);
  return said;
}

qvid::Result<std::string> token_id(std::string_view token) {
  if (auto error = not_a_token(token)) return *std::move(error);
  const Jwt unverified = decode(std::string(token), nullptr);
  if (!unverified) return not_decoded();
  const JwtText claims(jwt_get_grants_json(unverified.get(), nullptr));
  const auto object = parse_object(claims ? claims.get() : "");
  if (!object) return Error{"the token says nothing"};
  const auto id = object->find("jti");
  if (id == object->end()) return hash_of(token);
  const auto said = kTokenId.read(*id);
  if (!said) return Error{std::ranges::find(kWrongClaims, "jti", &WrongClaim::first)->second};
  return *said;
}

qvid::Result<TokenClaims> parse_claims(std::string_view text, WallTime now) {
  const auto object = parse_object(text);
  if (!object) return Error{"the token's claims are no JSON object"};
  TokenClaims claims;
  if (const char* wrong = kClaims.read(*object, claims)) {
    return Error{std::ranges::find(kWrongClaims, wrong, &WrongClaim::first)->second};
  }
  if (claims.begins && now < *claims.begins) {
    return Error{"the token is valid only in " + text_of_span(*claims.begins - now) +
                 " from now: if that is wrong, compare the clocks"};
  }
  return claims;
}

std::string text_of_span(std::chrono::seconds span) {
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  const std::int64_t seconds = span.count();
  if (seconds < 2 * kMinute) return std::to_string(seconds) + " s";
  if (seconds < 2 * kHour) return std::to_string(seconds / kMinute) + " min";
  if (seconds < 2 * kDay) return std::to_string(seconds / kHour) + " h";
  return std::to_string(seconds / kDay) + " days";
}

}  // namespace qps
