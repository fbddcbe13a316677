#include "transport/proxy/http_login.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <vector>

#include "base/ascii.h"

namespace paceline {
namespace {

constexpr std::size_t kMostSchemes = 200;  // bytes of their names

bool is_token_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// One field's challenges, as RFC 9110 writes them (section 11.6.1): schemes and their parameters
// stand in one list of commas.
class ChallengeReader {
 public:
  explicit ChallengeReader(std::string_view text) : rest_(text) {}

  struct Parameter {
    std::string name, value;
  };
  struct Challenge {
    std::string scheme;
    std::vector<Parameter> parameters;
  };

  // What cannot be read ends the list.
  std::vector<Challenge> read() {
    std::vector<Challenge> all;
    for (;;) {
      skip(" \t,");
      std::string word = token();
      if (word.empty()) return all;
      skip(" \t");
      if (!all.empty() && take('=')) {
        skip(" \t");
        auto value = rest_.starts_with('"') ? quoted() : std::optional(token());
        if (!value) return all;
        all.back().parameters.push_back({std::move(word), *std::move(value)});
      } else {
        all.push_back({std::move(word), {}});
        skip_token68();
      }
    }
  }

 private:
  void skip(std::string_view what) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(what), rest_.size()));
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string token() {
    const auto end = std::ranges::find_if_not(rest_, is_token_char);
    std::string word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    return word;
  }
  std::optional<std::string> quoted() {
    std::string value;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '"') {
        rest_.remove_prefix(i + 1);
        return value;
      }
      if (rest_[i] == '\\' && i + 1 < rest_.size()) ++i;
      value.push_back(rest_[i]);
    }
    return {};
  }
  // The data that Negotiate and the like have in place of parameters.
  void skip_token68() {
    const auto is_data = [](char c) { return is_token_char(c) || c == '/'; };
    const auto data_end = std::ranges::find_if_not(rest_, is_data);
    const auto end = std::find_if_not(data_end, rest_.end(), [](char c) { return c == '='; });
    const std::string_view behind(end, rest_.end());
    const bool whole = behind.empty() ||
                       behind.find_first_not_of(" \t") == std::string_view::npos ||
                       behind[behind.find_first_not_of(" \t")] == ',';
    if (whole) rest_ = behind;
  }

  std::string_view rest_;
};

// How strong; 0: cannot be answered.
int strength(const HttpChallenge& c) {
  if (c.scheme == HttpChallenge::Scheme::basic) return 1;
  return c.hash == HttpChallenge::Hash::md5 ? 2 : 3;
}

bool lists_auth(std::string_view qop) {
  while (!qop.empty()) {
    const auto end = std::min(qop.find_first_of(", "), qop.size());
    if (qvid::is_same_word(qop.substr(0, end), "auth")) return true;
    qop.remove_prefix(std::min(end + 1, qop.size()));
  }
  return false;
}

// None: a scheme, a hash or a qop that is not known here.
std::optional<HttpChallenge> to_challenge(const ChallengeReader::Challenge& read) {
  HttpChallenge c;
  bool other_qop = false;
  if (qvid::is_same_word(read.scheme, "Digest")) {
    c.scheme = HttpChallenge::Scheme::digest;
  } else if (!qvid::is_same_word(read.scheme, "Basic")) {
    return {};
  }
  for (const auto& [name, value] : read.parameters) {
    if (qvid::is_same_word(name, "realm")) c.realm = value;
    if (qvid::is_same_word(name, "nonce")) c.nonce = value;
    if (qvid::is_same_word(name, "stale")) c.stale = qvid::is_same_word(value, "true");
    if (qvid::is_same_word(name, "opaque")) {
      c.opaque = value;
      c.has_opaque = true;
    }
    if (qvid::is_same_word(name, "qop")) {
      c.qop = lists_auth(value);
      other_qop = !c.qop;
    }
    if (qvid::is_same_word(name, "algorithm")) {
      std::string_view hash = value;
      if (hash.size() > 5 && qvid::is_same_word(hash.substr(hash.size() - 5), "-sess")) {
        c.session = true;
        hash.remove_suffix(5);
      }
      if (qvid::is_same_word(hash, "SHA-256")) {
        c.hash = HttpChallenge::Hash::sha256;
      } else if (!qvid::is_same_word(hash, "MD5")) {
        return {};
      }
    }
  }
  if (c.scheme == HttpChallenge::Scheme::digest && (c.nonce.empty() || other_qop)) return {};
  return c;
}

std::string in_quote_marks(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// In lower-case hexadecimal; empty: there is no such hash here.
std::string hashed(HttpChallenge::Hash hash, const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  const EVP_MD* method = hash == HttpChallenge::Hash::md5 ? EVP_md5() : EVP_sha256();
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &size, method, nullptr) != 1) return {};
  return qvid::hexadecimal(std::span(bytes).first(size));
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

HttpOffers parse_challenges(std::span<const std::string> fields) {
  HttpOffers offers;
  for (const std::string& field : fields) {
    for (const auto& read : ChallengeReader(field).read()) {
      if (offers.schemes.size() + 2 + read.scheme.size() <= kMostSchemes) {
        offers.schemes += (offers.schemes.empty() ? "" : ", ") + read.scheme;
      }
      offers.negotiate |= qvid::is_same_word(read.scheme, "Negotiate");
      auto challenge = to_challenge(read);
      if (challenge && (!offers.best || strength(*challenge) > strength(*offers.best))) {
        offers.best = std::move(challenge);
      }
    }
  }
  return offers;
}

void HttpLogin::learn(HttpChallenge challenge) {
  challenge_ = std::move(challenge);
  uses_ = 0;
}

qvid::Result<std::string> HttpLogin::answer(const ProxyServer& proxy, std::string_view target,
                                            std::string_view cnonce) {
  const HttpChallenge& c = *challenge_;
  if (c.scheme == HttpChallenge::Scheme::basic) {
    return "Basic " + base64(proxy.user + ":" + proxy.password);
  }
  const std::string random(cnonce);
  std::array<char, 9> count{};
  std::snprintf(count.data(), count.size(), "%08x", ++uses_);
  std::string secret = hashed(c.hash, proxy.user + ":" + c.realm + ":" + proxy.password);
  if (c.session) secret = hashed(c.hash, secret + ":" + c.nonce + ":" + random);
  const std::string what = hashed(c.hash, "CONNECT:" + std::string(target));
  if (secret.empty() || what.empty()) {
    return qvid::Error{"this system does not allow the hash that the proxy wants for its login"};
  }
  const std::string between =
      c.qop ? ":" + std::string(count.data()) + ":" + random + ":auth:" : std::string(":");
  std::string text = "Digest username=" + in_quote_marks(proxy.user) +
                     ", realm=" + in_quote_marks(c.realm) + ", nonce=" + in_quote_marks(c.nonce) +
                     ", uri=" + in_quote_marks(target) +
                     ", algorithm=" + (c.hash == HttpChallenge::Hash::md5 ? "MD5" : "SHA-256") +
                     (c.session ? "-sess" : "") + ", response=\"" +
                     hashed(c.hash, secret + ":" + c.nonce + between + what) + '"';
  if (c.has_opaque) text += ", opaque=" + in_quote_marks(c.opaque);
  if (c.qop) text += ", qop=auth, nc=" + std::string(count.data());
  if (c.qop || c.session) text += ", cnonce=" + in_quote_marks(random);
  return text;
}

}  // namespace paceline
