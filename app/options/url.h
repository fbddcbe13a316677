// qvid://host[:port]/name[#sha256:...] — the address of a live or stored video, and what to know
// its server by.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/socket/address.h"

namespace qvid::app {

inline constexpr std::uint16_t kDefaultPort = 7400;
inline constexpr std::size_t kMaxName = 1024;
inline constexpr std::string_view kLiveName = "live";

// Everything but letters, digits and -._~/ as %XX.
std::string escaped(std::string_view text);

struct Url {
  paceline::Address address;
  std::string name;         // `live`, or the path of a file without the leading slash
  std::string fingerprint;  // of the server's key (transport/tls/tls.h); empty: none given

  // As parse_url takes it: what is no plain character is %XX, so it is safe to print.
  std::string text() const {
    return "qvid://" + address.text() + (name.empty() ? "" : "/" + escaped(name)) +
           (fingerprint.empty() ? "" : "#" + fingerprint);
  }
};

// Without a name it is `unnamed`. %XX is decoded. The error says what a URL looks like.
Result<Url> parse_url(std::string_view text, std::string_view unnamed = kLiveName);

}  // namespace qvid::app
