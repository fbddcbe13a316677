#include "lab/emulator/flow_key.h"

#include "lab/emulator/flow.h"

namespace qvid::lab {
namespace {

// The finaliser of MurmurHash3 (Appleby): every bit of the input changes each of the output with a
// probability near one half.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdu;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53u;
  return x ^ x >> 33;
}

std::uint64_t number(std::span<const std::byte> bytes) {
  std::uint64_t n = 0;
  for (const std::byte b : bytes) n = n << 8 | std::to_integer<std::uint64_t>(b);
  return n;
}

}  // namespace

FlowKey FlowKey::of(std::span<const std::byte> ip) {
  FlowKey key;
  if (ip.empty()) return key;
  const std::uint64_t version = std::to_integer<std::uint64_t>(ip[0]) >> 4;
  std::uint64_t protocol = 0;
  if (version == 4 && ip.size() >= 20) {
    protocol = std::to_integer<std::uint64_t>(ip[9]);
    key.words_[0] = number(ip.subspan(12, 4));
    key.words_[2] = number(ip.subspan(16, 4));
  } else if (version == 6 && ip.size() >= 40) {
    protocol = std::to_integer<std::uint64_t>(ip[6]);
    for (std::size_t i = 0; i < 4; ++i) key.words_[i] = number(ip.subspan(8 + 8 * i, 8));
  } else {
    return key;
  }
  const Flow flow = flow_of(ip);
  key.words_[4] = version << 40 | protocol << 32 |
                  static_cast<std::uint64_t>(flow.source_port) << 16 | flow.target_port;
  return key;
}

std::uint64_t FlowKey::hash(std::uint64_t secret) const {
  std::uint64_t h = mix(secret);
  for (const std::uint64_t word : words_) h = mix(h ^ word) + secret;
  return mix(h);
}

}  // namespace qvid::lab
