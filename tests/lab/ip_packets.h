// IP packets for tests of the queues: whole headers, with a right IPv4 checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/emulator/ecn.h"
#include "lab/emulator/header_words.h"
#include "lab/emulator/packet.h"

namespace qvid::lab {

struct IpFields {
  int version = 4;
  Ecn ecn = Ecn::kNotCapable;
  unsigned dscp = 0;
  unsigned protocol = 17;  // UDP
  unsigned source = 1;     // the addresses' last bytes
  unsigned target = 2;
  unsigned source_port = 1000;
  unsigned target_port = 2000;
  std::size_t size = 1000;
};

// The one's complement sum of the header: 0xffff where its checksum is right (RFC 791, RFC 1071).
inline unsigned header_sum(std::span<const std::byte> ip) {
  const std::size_t header = (std::to_integer<std::size_t>(ip[0]) & 0xf) * 4;
  unsigned sum = 0;
  for (std::size_t i = 0; i < header; i += 2) {
    sum += std::to_integer<unsigned>(ip[i]) << 8 | std::to_integer<unsigned>(ip[i + 1]);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

// Precondition: `size` is enough for the headers.
inline std::vector<std::byte> ip_bytes(const IpFields& f) {
  std::vector<std::byte> bytes(f.size);
  const unsigned traffic_class = f.dscp << 2 | static_cast<unsigned>(f.ecn);
  std::size_t header = 20;
  if (f.version == 4) {
    put_word(bytes, 0, 0x4500 | traffic_class);
    put_word(bytes, 2, static_cast<unsigned>(f.size));
    put_word(bytes, 8, 64 << 8 | f.protocol);
    put_word(bytes, 12, 10 << 8 | 77);
    put_word(bytes, 14, f.source);
    put_word(bytes, 16, 10 << 8 | 77);
    put_word(bytes, 18, f.target);
    put_word(bytes, 10, ~header_sum(bytes) & 0xffff);
  } else {
    header = 40;
    put_word(bytes, 0, 0x6000 | traffic_class << 4);
    put_word(bytes, 4, static_cast<unsigned>(f.size - header));
    put_word(bytes, 6, f.protocol << 8 | 64);
    put_word(bytes, 22, f.source);
    put_word(bytes, 38, f.target);
  }
  put_word(bytes, header, f.source_port);
  put_word(bytes, header + 2, f.target_port);
  return bytes;
}

inline Packet ip_packet(const IpFields& fields, Timestamp arrived) {
  return {.bytes = ip_bytes(fields), .arrived = arrived, .due = {}};
}

}  // namespace qvid::lab
