// qvid://host[:port]/name — the address of a live or stored video.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/listener.h"

namespace qvid::app {

inline constexpr std::uint16_t kDefaultPort = 7400;
inline constexpr std::size_t kMaxName = 1024;
inline constexpr std::string_view kLiveName = "live";

// Everything but letters, digits and -._~/ as %XX.
std::string escaped(std::string_view text);

struct Url {
  paceline::Address address;
  std::string name;  // `live`, or the path of a file without the leading slash

  // As parse_url takes it: what is no plain character is %XX, so it is safe to print.
  std::string text() const { return "qvid://" + address.text() + "/" + escaped(name); }
};

// Without a name it is `live`. %XX is decoded. The error says what a URL looks like.
Result<Url> parse_url(std::string_view text);

}  // namespace qvid::app
