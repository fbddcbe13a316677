// The 16-bit words of packets' headers, in network order, and checksums over them.
#pragma once

#include <cstddef>
#include <span>

namespace qvid::lab {

// Precondition of both: i + 1 < size().
inline unsigned word_at(std::span<const std::byte> bytes, std::size_t i) {
  return std::to_integer<unsigned>(bytes[i]) << 8 | std::to_integer<unsigned>(bytes[i + 1]);
}
inline void put_word(std::span<std::byte> bytes, std::size_t i, unsigned word) {
  bytes[i] = std::byte(word >> 8 & 0xff);
  bytes[i + 1] = std::byte(word & 0xff);
}

// A checksum over a word that has changed. RFC 1624 eq. 3: HC' = ~(~HC + ~m + m'), in one's
// complement. A wrong checksum stays as wrong.
inline unsigned changed_checksum(unsigned checksum, unsigned before, unsigned word) {
  unsigned sum = (~checksum & 0xffff) + (~before & 0xffff) + word;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

}  // namespace qvid::lab
