// Links in virtual time, and packets that carry their number.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lab/emulator/link.h"

namespace qvid::lab {

inline constexpr Timestamp kStart{1000s};

inline LinkSpec spec_of(const std::string& words) {
  auto spec = parse_link(words);
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return spec ? *spec : LinkSpec{};
}

inline Link link_of(const std::string& words) { return Link(spec_of(words).up, kStart); }

// A packet that carries its number, and is no IP: no queue marks it.
inline std::vector<std::byte> packet(std::size_t size, std::uint32_t number = 0) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < 4 && 4 + i < size; ++i) {
    bytes[4 + i] = std::byte(number >> (8 * i) & 0xff);
  }
  return bytes;
}

inline std::uint32_t number_of(const Packet& p) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number |= std::to_integer<std::uint32_t>(p.bytes[4 + i]) << (8 * i);
  }
  return number;
}

// All that come out by `end`, taken when the link says that something may happen.
inline std::vector<Packet> drain(Link& link, Timestamp end) {
  std::vector<Packet> out;
  for (Timestamp next = link.next_event(); next <= end; next = link.next_event()) {
    while (auto p = link.pop(next)) out.push_back(*std::move(p));
  }
  return out;
}

}  // namespace qvid::lab
