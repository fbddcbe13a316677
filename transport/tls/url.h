// qvid://host[:port]/name[#sha256:...]: where a server is, what is meant there, and what to know
// the server by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/socket/address.h"

namespace paceline {

inline constexpr std::uint16_t kDefaultPort = 7400;
inline constexpr std::size_t kMaxName = 1024;

// Everything but letters, digits and -._~/ as %XX.
std::string escaped(std::string_view text);

struct Url {
  Address address;
  std::string name;         // of a video, the path of a file without the leading slash, or a room
  std::string fingerprint;  // of the server's key (transport/tls/tls.h); empty: none given

  // As parse_url takes it: what is no plain character is %XX, so it is safe to print.
  std::string text() const {
    std::string where = address.text();
    if (const auto zone = where.find('%'); zone != std::string::npos) where.insert(zone + 1, "25");
    return "qvid://" + where + (name.empty() ? "" : "/" + escaped(name)) +
           (fingerprint.empty() ? "" : "#" + fingerprint);
  }
};

// Without a name it is `unnamed`. %XX is decoded. A zone stands behind %25 (RFC 6874), as in
// qvid://[fe80::1%25eth0], or, as people write it, behind a bare %. The error says what a URL looks like.
qvid::Result<Url> parse_url(std::string_view text, std::string_view unnamed);

}  // namespace paceline
