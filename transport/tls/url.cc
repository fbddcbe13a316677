#include "transport/tls/url.h"

#include <algorithm>

#include "base/percent.h"
#include "transport/tls/tls.h"

namespace paceline {

// By hand: Boost.URL begins with Boost 1.81, and Debian 12 has 1.74. Host and port are read by
// parse_address alone.
namespace {

constexpr std::string_view kScheme = "qvid://";

}  // namespace

std::string escaped(std::string_view text) {
  constexpr std::string_view kPlain = "-._~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter_or_digit =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter_or_digit || kPlain.find(c) != std::string_view::npos) {
      out.push_back(c);
    } else {
      out.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
  return out;
}

qvid::Result<Url> parse_url(std::string_view text, std::string_view unnamed) {
  const auto bad = [&](const std::string& why) {
    return qvid::Error{"'" + std::string(text.substr(0, 200)) + "' " + why +
                       ": write qvid://host[:port]/live or qvid://host[:port]/path/of/file"};
  };
  if (!text.starts_with(kScheme)) {
    const auto scheme = text.find("://");
    if (scheme == std::string_view::npos) return bad("is no URL");
    return bad("has the unknown scheme " +
               std::string(text.substr(0, std::min<std::size_t>(scheme, 32))));
  }
  const auto hash = text.find('#');
  const std::string_view rest = text.substr(0, hash).substr(kScheme.size());
  const auto slash = rest.find('/');
  auto address = parse_address(rest.substr(0, slash), kDefaultPort);
  if (!address || address->port == 0) {
    return bad("names no host, or a port that is none (1 to 65535)");
  }
  const auto zone = address->host.find('%');
  if (zone != std::string::npos && address->host.substr(zone + 1, 2) == "25") {
    address->host.erase(zone + 1, 2);
  }
  Url url{.address = std::move(*address), .name = std::string(unnamed), .fingerprint = {}};
  if (hash != std::string_view::npos) {
    auto fingerprint = parse_fingerprint(text.substr(hash + 1));
    if (!fingerprint) return bad("has a broken fingerprint behind the #");
    url.fingerprint = std::move(*fingerprint);
  }
  if (slash == std::string_view::npos || slash + 1 == rest.size()) return url;
  auto name = qvid::percent_decoded(rest.substr(slash + 1));
  if (!name || name->find('\0') != std::string::npos) return bad("has a broken % code");
  if (name->size() > kMaxName) return bad("has too long a name");
  url.name = std::move(*name);
  return url;
}

}  // namespace paceline
