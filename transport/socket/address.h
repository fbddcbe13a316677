// "host:port" and "[v6]:port".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paceline {

struct Address {
  std::string host;
  std::uint16_t port = 0;

  std::string text() const;
  // Of this machine only: a loopback address or "localhost".
  bool is_loopback() const;
};
// From "host", "host:port", "v4:port", "[v6]" or "[v6]:port"; `default_port` where the text names
// none. The error says what an address looks like.
qvid::Result<Address> parse_address(std::string_view text, std::uint16_t default_port);

}  // namespace paceline
