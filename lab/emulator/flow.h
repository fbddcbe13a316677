// Which transport protocol and ports an IP packet has, as far as its first bytes tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace qvid::lab {

enum class Transport { kTcp, kUdp, kOther };

struct Flow {
  Transport transport = Transport::kOther;
  bool has_ports = false;
  std::uint16_t source_port = 0;
  std::uint16_t target_port = 0;

  bool has_port(std::uint16_t port) const { return source_port == port || target_port == port; }
};

// Ports are 0 where there are none: other protocols, fragments after the first, IPv6 with extension
// headers, and packets that are cut short.
inline Flow flow_of(std::span<const std::byte> ip) {
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(ip[i]); };
  if (ip.empty()) return {};
  std::size_t header = 0;
  unsigned protocol = 0;
  bool first_fragment = true;
  if (at(0) >> 4 == 4 && ip.size() >= 20) {
    header = (at(0) & 0xf) * 4u;
    protocol = at(9);
    first_fragment = ((at(6) & 0x1f) << 8 | at(7)) == 0;
  } else if (at(0) >> 4 == 6 && ip.size() >= 40) {
    header = 40;
    protocol = at(6);
  } else {
    return {};
  }
  constexpr unsigned kTcp = 6;
  constexpr unsigned kUdp = 17;
  Flow flow;
  if (protocol == kTcp) flow.transport = Transport::kTcp;
  if (protocol == kUdp) flow.transport = Transport::kUdp;
  if (flow.transport == Transport::kOther || !first_fragment || ip.size() < header + 4) return flow;
  flow.has_ports = true;
  flow.source_port = static_cast<std::uint16_t>(at(header) << 8 | at(header + 1));
  flow.target_port = static_cast<std::uint16_t>(at(header + 2) << 8 | at(header + 3));
  return flow;
}

}  // namespace qvid::lab
