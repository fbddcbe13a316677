// Explicit congestion notification in an IP packet (RFC 3168): the two low bits of IPv4's type of
// service, of IPv6's traffic class. The six bits above them are the DSCP (RFC 2474).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace qvid::lab {

enum class Ecn : std::uint8_t { kNotCapable = 0, kCapable1 = 1, kCapable0 = 2, kCongestion = 3 };

// Nothing where the bytes are no whole IPv4 or IPv6 header.
std::optional<std::uint8_t> traffic_class_of(std::span<const std::byte> ip);

// kNotCapable also where the bytes are no IP packet.
Ecn ecn_of(std::span<const std::byte> ip);

// Says "congestion experienced" in the packet, and corrects IPv4's header checksum. False, and
// nothing is changed, where the sender does not know ECN: then a router drops. True also where the
// packet said so before.
bool mark_congestion(std::span<std::byte> ip);

}  // namespace qvid::lab
