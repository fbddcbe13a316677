// How a client proves to an HTTP proxy who it is: Basic (RFC 7617), which shows the password to
// whoever can watch the way to the proxy, and Digest (RFC 7616; MD5 and SHA-256, also -sess; qop
// auth or none), which does not. Digest is taken where both are offered, and SHA-256 before MD5. Or
// Negotiate (RFC 4559), by a ticket that somebody else makes (proxy_ticket.h).
//
// Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/proxy/proxy_server.h"

namespace paceline {

struct HttpChallenge {
  enum class Scheme { basic, digest, negotiate };
  enum class Hash { md5, sha256 };

  Scheme scheme = Scheme::basic;
  Hash hash = Hash::md5;
  bool session = false;  // -sess
  bool qop = false;      // auth is offered
  bool stale = false;    // the password was right, the nonce too old
  bool has_opaque = false;
  std::string realm, nonce, opaque;
};

struct HttpOffers {
  std::optional<HttpChallenge> best;  // of those that a user and a password answer
  bool negotiate = false;
  std::string schemes;  // the names of all of them, as "Negotiate, NTLM"; 200 bytes
};

// Of the values of all Proxy-Authenticate fields.
HttpOffers parse_challenges(std::span<const std::string> fields);

std::string base64(std::string_view bytes);

// What a proxy has asked for, kept from connection to connection, so that only the first is turned
// away.
class HttpLogin {
 public:
  void learn(HttpChallenge challenge);
  bool knows() const { return challenge_.has_value(); }
  bool is_digest() const {
    return challenge_ && challenge_->scheme == HttpChallenge::Scheme::digest;
  }
  bool wants_ticket() const {
    return challenge_ && challenge_->scheme == HttpChallenge::Scheme::negotiate;
  }
  // The value of Proxy-Authorization for a CONNECT to `target`, as it stands in the request line.
  // `cnonce`: random, printable, without quotes. The error: OpenSSL has no such hash (MD5 under
  // FIPS). Precondition: knows(), and not wants_ticket().
  qvid::Result<std::string> answer(const ProxyServer& proxy, std::string_view target,
                                   std::string_view cnonce);

 private:
  std::optional<HttpChallenge> challenge_;
  std::uint32_t uses_ = 0;  // of the nonce
};

}  // namespace paceline
