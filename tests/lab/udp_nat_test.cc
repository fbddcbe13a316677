#include "lab/emulator/udp_nat.h"

#include <gtest/gtest.h>

#include <optional>

#include "lab/emulator/header_words.h"
#include "tests/lab/ip_packets.h"

namespace qvid::lab {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kHeader = 20;

// The one's complement sum of what UDP's checksum is over (RFC 768): 0xffff where it is right.
unsigned udp_sum(const Bytes& packet) {
  unsigned sum = 17 + static_cast<unsigned>(packet.size() - kHeader);
  for (std::size_t i = 12; i + 1 < packet.size(); i += 2) sum += word_at(packet, i);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

Bytes datagram(unsigned source_port, unsigned target_port) {
  Bytes packet = ip_bytes({.source_port = source_port, .target_port = target_port, .size = 100});
  put_word(packet, kHeader + 4, 80);
  put_word(packet, kHeader + 6, 0);
  put_word(packet, kHeader + 6, ~udp_sum(packet) & 0xffff);
  return packet;
}

// The port from which it goes on.
unsigned sent_from(UdpNat& nat, unsigned port, Duration since) {
  Bytes packet = datagram(port, 7400);
  nat.send(packet, since);
  EXPECT_EQ(udp_sum(packet), 0xffffu);
  EXPECT_EQ(word_at(packet, kHeader + 2), 7400u);
  return word_at(packet, kHeader);
}

// The port at which it comes out; empty: nowhere.
std::optional<unsigned> comes_to(UdpNat& nat, unsigned port, Duration since) {
  Bytes packet = datagram(7400, port);
  if (!nat.receive(packet, since)) return std::nullopt;
  EXPECT_EQ(udp_sum(packet), 0xffffu);
  return word_at(packet, kHeader + 2);
}

TEST(UdpNat, ForgetsAndGivesAnotherPort) {
  UdpNat nat({9s, 5s});
  EXPECT_EQ(sent_from(nat, 65'000, 4s), 65'000u);
  EXPECT_EQ(comes_to(nat, 65'000, 4s), 65'000u);
  EXPECT_EQ(comes_to(nat, 65'000, 5s), std::nullopt);
  const unsigned second = sent_from(nat, 65'000, 6s);
  EXPECT_NE(second, 65'000u);
  EXPECT_EQ(comes_to(nat, second, 6s), 65'000u);
  EXPECT_EQ(comes_to(nat, 65'000, 6s), std::nullopt);
  const unsigned third = sent_from(nat, 65'000, 10s);
  EXPECT_NE(third, second);
  EXPECT_EQ(comes_to(nat, second, 10s), std::nullopt);
  EXPECT_EQ(comes_to(nat, third, 10s), 65'000u);
}

TEST(UdpNat, LeavesTheRestAlone) {
  UdpNat nat({0s});
  for (Bytes packet : {ip_bytes({.protocol = 6}), ip_bytes({.version = 6}), Bytes{},
                       Bytes(21, std::byte{0x45}), Bytes(3, std::byte{0x45})}) {
    const Bytes before = packet;
    nat.send(packet, 1s);
    EXPECT_TRUE(nat.receive(packet, 1s));
    EXPECT_EQ(packet, before);
  }
  // Without a checksum it stays so.
  Bytes packet = datagram(1000, 7400);
  put_word(packet, kHeader + 6, 0);
  nat.send(packet, 1s);
  EXPECT_EQ(word_at(packet, kHeader + 6), 0u);
}

}  // namespace
}  // namespace qvid::lab
