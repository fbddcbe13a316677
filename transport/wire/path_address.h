// Where a datagram came from, or goes to: an address of UDP, without a socket's type.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace paceline {

struct PathAddress {
  std::array<std::uint8_t, 16> ip{};  // IPv6; of IPv4 the mapped address (RFC 4291 section 2.5.5.2)
  std::uint32_t scope = 0;            // of a link-local address
  std::uint16_t port = 0;

  auto operator<=>(const PathAddress&) const = default;
};

}  // namespace paceline
