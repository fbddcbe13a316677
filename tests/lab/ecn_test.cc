// Marking in IP headers: the right bits, a right checksum, and nothing for what is no IP.
#include "lab/emulator/ecn.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/lab/ip_packets.h"

namespace qvid::lab {
namespace {

TEST(Ecn, BitsAreReadFromBothVersions) {
  for (const int version : {4, 6}) {
    for (const Ecn ecn : {Ecn::kNotCapable, Ecn::kCapable1, Ecn::kCapable0, Ecn::kCongestion}) {
      const auto bytes = ip_bytes({.version = version, .ecn = ecn, .dscp = 46});
      EXPECT_EQ(ecn_of(bytes), ecn);
      EXPECT_EQ(traffic_class_of(bytes), 46 << 2 | static_cast<int>(ecn));
    }
  }
}

TEST(Ecn, AMarkChangesTheTwoBitsAndTheChecksumOnly) {
  for (const int version : {4, 6}) {
    for (const Ecn ecn : {Ecn::kCapable1, Ecn::kCapable0}) {
      const auto before = ip_bytes({.version = version, .ecn = ecn, .dscp = 21});
      auto after = before;
      ASSERT_TRUE(mark_congestion(after));
      EXPECT_EQ(after, ip_bytes({.version = version, .ecn = Ecn::kCongestion, .dscp = 21}));
    }
  }
}

// Every checksum, also those where one's complement has two zeros (RFC 1624, section 3).
TEST(Ecn, ChecksumsStayRight) {
  auto bytes = ip_bytes({.ecn = Ecn::kCapable0});
  for (unsigned i = 0; i < 0x10000; ++i) {
    put_word(bytes, 0, 0x4500 | (i & 0x3f) << 2 | (1 + (i >> 6 & 1)));
    put_word(bytes, 4, i);  // identification
    put_word(bytes, 10, 0);
    put_word(bytes, 10, ~header_sum(bytes) & 0xffff);
    ASSERT_TRUE(mark_congestion(bytes));
    ASSERT_EQ(header_sum(bytes), 0xffffu) << i;
  }
}

TEST(Ecn, OptionsInTheHeaderAreKept) {
  auto bytes = ip_bytes({.ecn = Ecn::kCapable0, .size = 100});
  bytes[0] = std::byte{0x4f};  // 60 bytes
  put_word(bytes, 10, 0);
  put_word(bytes, 10, ~header_sum(bytes) & 0xffff);
  ASSERT_TRUE(mark_congestion(bytes));
  EXPECT_EQ(header_sum(bytes), 0xffffu);
}

TEST(Ecn, AWrongChecksumIsNotRepaired) {
  auto bytes = ip_bytes({.ecn = Ecn::kCapable0});
  bytes[10] ^= std::byte{0x10};
  ASSERT_TRUE(mark_congestion(bytes));
  EXPECT_NE(header_sum(bytes), 0xffffu);
}

TEST(Ecn, WhoIsNotCapableIsLeftAlone) {
  for (const int version : {4, 6}) {
    const auto before = ip_bytes({.version = version});
    auto after = before;
    EXPECT_FALSE(mark_congestion(after));
    EXPECT_EQ(after, before);
  }
  const auto before = ip_bytes({.ecn = Ecn::kCongestion});
  auto after = before;
  EXPECT_TRUE(mark_congestion(after)) << "it is marked";
  EXPECT_EQ(after, before);
}

TEST(Ecn, WhatIsNoWholeHeaderIsNotCapable) {
  for (const int version : {4, 6}) {
    const auto whole = ip_bytes({.version = version, .ecn = Ecn::kCapable0});
    for (std::size_t size = 0; size < (version == 4 ? 20u : 40u); ++size) {
      std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      const auto before = cut;
      EXPECT_EQ(ecn_of(cut), Ecn::kNotCapable);
      EXPECT_FALSE(mark_congestion(cut));
      EXPECT_EQ(cut, before);
    }
  }
  auto bytes = ip_bytes({.ecn = Ecn::kCapable0, .size = 40});
  for (const unsigned first : {0x40u, 0x44u, 0x4fu, 0x55u, 0x00u}) {  // lengths, versions
    bytes[0] = std::byte(first);
    EXPECT_FALSE(mark_congestion(bytes)) << first;
  }
}

}  // namespace
}  // namespace qvid::lab
