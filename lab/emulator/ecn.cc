#include "lab/emulator/ecn.h"

#include "lab/emulator/header_words.h"

namespace qvid::lab {
namespace {

constexpr std::size_t kIpv4Header = 20;
constexpr std::size_t kIpv6Header = 40;
constexpr std::size_t kIpv4Checksum = 10;  // its place

// 4, 6, or 0 for what has no whole header.
unsigned version_of(std::span<const std::byte> ip) {
  if (ip.empty()) return 0;
  const unsigned first = std::to_integer<unsigned>(ip[0]);
  if (first >> 4 == 4) {
    const std::size_t header = (first & 0xf) * std::size_t{4};
    return header >= kIpv4Header && ip.size() >= header ? 4 : 0;
  }
  return first >> 4 == 6 && ip.size() >= kIpv6Header ? 6 : 0;
}

}  // namespace

std::optional<std::uint8_t> traffic_class_of(std::span<const std::byte> ip) {
  switch (version_of(ip)) {
    case 4: return std::to_integer<std::uint8_t>(ip[1]);
    // version (4 bits) | traffic class (8) | flow label (20)
    case 6: return static_cast<std::uint8_t>(word_at(ip, 0) >> 4 & 0xff);
    default: return std::nullopt;
  }
}

Ecn ecn_of(std::span<const std::byte> ip) {
  return static_cast<Ecn>(traffic_class_of(ip).value_or(0) & 3);
}

bool mark_congestion(std::span<std::byte> ip) {
  const Ecn ecn = ecn_of(ip);
  if (ecn == Ecn::kNotCapable) return false;
  if (ecn == Ecn::kCongestion) return true;
  if (version_of(ip) == 6) {  // has no checksum
    ip[1] |= std::byte{0x30};
    return true;
  }
  const unsigned before = word_at(ip, 0);
  ip[1] |= std::byte{3};
  put_word(ip, kIpv4Checksum, changed_checksum(word_at(ip, kIpv4Checksum), before, word_at(ip, 0)));
  return true;
}

}  // namespace qvid::lab
