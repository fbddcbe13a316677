// What counts as one flow, and that flows spread over bins.
#include "lab/emulator/flow_key.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/lab/ip_packets.h"

namespace qvid::lab {
namespace {

FlowKey key_of(const IpFields& fields) { return FlowKey::of(ip_bytes(fields)); }

TEST(FlowKey, AllOfAddressesProtocolAndPortsCount) {
  for (const int version : {4, 6}) {
    const IpFields flow{.version = version};
    EXPECT_EQ(key_of(flow), key_of({.version = version, .ecn = Ecn::kCapable0, .size = 200}));
    EXPECT_NE(key_of(flow), key_of({.version = version, .protocol = 6}));
    EXPECT_NE(key_of(flow), key_of({.version = version, .source = 9}));
    EXPECT_NE(key_of(flow), key_of({.version = version, .target = 9}));
    EXPECT_NE(key_of(flow), key_of({.version = version, .source_port = 9}));
    EXPECT_NE(key_of(flow), key_of({.version = version, .target_port = 9}));
    EXPECT_NE(key_of(flow), key_of({.version = version, .source = 2, .target = 1}));
  }
  EXPECT_NE(key_of({.version = 4}), key_of({.version = 6}));
}

TEST(FlowKey, WhatIsNoIpIsOneFlow) {
  const std::vector<std::byte> nothing;
  EXPECT_EQ(FlowKey::of(nothing), FlowKey());
  for (std::size_t size = 1; size < 20; ++size) {
    const std::vector<std::byte> cut(size, std::byte{0x45});
    EXPECT_EQ(FlowKey::of(cut), FlowKey());
  }
  const std::vector<std::byte> other(100, std::byte{0xff});
  EXPECT_EQ(FlowKey::of(other), FlowKey());
}

TEST(FlowKey, HashesSpreadEvenlyAndIndependently) {
  // 20,000 flows whose source ports follow each other, into 20 x 20 bins by two secrets: 50 each.
  std::array<std::array<int, 20>, 20> bins{};
  for (unsigned i = 0; i < 20'000; ++i) {
    const FlowKey key = key_of({.source_port = i, .size = 40});
    const auto bin = [&](std::uint64_t secret) { return (key.hash(secret) >> 32) * 20 >> 32; };
    ++bins[bin(1)][bin(2)];
  }
  double chi_square = 0;
  for (const auto& row : bins) {
    for (const int n : row) chi_square += (n - 50.0) * (n - 50.0) / 50;
  }
  // 399 degrees of freedom: mean 399, standard deviation 28.
  EXPECT_GT(chi_square, 399 - 4 * 28);
  EXPECT_LT(chi_square, 399 + 4 * 28);
}

}  // namespace
}  // namespace qvid::lab
