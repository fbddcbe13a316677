// What tells flows apart: IP version, addresses, protocol and ports. All that is no IP packet is
// one flow; fragments after the first have no ports and are a flow of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace qvid::lab {

class FlowKey {
 public:
  FlowKey() = default;
  static FlowKey of(std::span<const std::byte> ip);

  // One of a family of hash functions, each chosen by its `secret`: who does not know it cannot
  // choose flows that collide, and two of them collide independently.
  std::uint64_t hash(std::uint64_t secret) const;

  bool operator==(const FlowKey&) const = default;

 private:
  std::array<std::uint64_t, 5> words_{};  // source, target: 2 each; version, protocol, ports
};

}  // namespace qvid::lab
