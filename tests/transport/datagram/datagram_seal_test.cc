#include "transport/datagram/datagram_seal.h"

#include <gtest/gtest.h>

#include "transport/wire/bind_proof.h"

namespace paceline {
namespace {

using Bytes = std::vector<std::byte>;

struct DatagramSealTest : testing::Test {
  Bytes sealed(std::uint64_t number, std::size_t size = 20) {
    Bytes out;
    seal.seal(number, Bytes(size, std::byte{7}), out);
    return out;
  }
  SessionSecret secret = make_credentials().secret;
  DatagramSeal seal{secret, DatagramDirection::kToServer};
  DatagramSeal opener{secret, DatagramDirection::kToServer};
  Bytes frames;
};

TEST_F(DatagramSealTest, WhatIsSealedIsOpenedByTheOtherEnd) {
  const Bytes datagram = sealed(5);
  EXPECT_EQ(datagram.size(), kDatagramAround + 20);
  EXPECT_EQ(tag_of(datagram), datagram_tag(secret, DatagramDirection::kToServer));
  EXPECT_EQ(opener.open(datagram, 3, frames), 5u);
  EXPECT_EQ(frames, Bytes(20, std::byte{7}));
  EXPECT_EQ(opener.open(sealed(6, 0), 6, frames), 6u);
  EXPECT_TRUE(frames.empty());
}

TEST_F(DatagramSealTest, AnyChangedBitIsNoticed) {
  const Bytes datagram = sealed(5);
  for (std::size_t i = 0; i < datagram.size() * 8; ++i) {
    Bytes changed = datagram;
    changed[i / 8] ^= static_cast<std::byte>(1 << (i % 8));
    EXPECT_FALSE(opener.open(changed, 5, frames)) << i;
  }
  for (std::size_t size = 0; size < datagram.size(); ++size) {
    EXPECT_FALSE(opener.open(std::span(datagram).first(size), 5, frames)) << size;
  }
}

TEST_F(DatagramSealTest, OfTheOtherDirectionOrAnotherSessionNothingIsOpened) {
  DatagramSeal back(secret, DatagramDirection::kToClient);
  EXPECT_FALSE(back.open(sealed(5), 5, frames));
  DatagramSeal stranger(make_credentials().secret, DatagramDirection::kToServer);
  EXPECT_FALSE(stranger.open(sealed(5), 5, frames));
}

TEST_F(DatagramSealTest, TheNumberIsTheNearestToTheExpectedOne) {
  constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;
  for (const std::uint64_t number : {kTurn - 1, kTurn, kTurn + 1, 5 * kTurn - 3}) {
    for (const std::uint64_t next :
         {number, number - 1000, number + 1000, number + kTurn / 2 - 1}) {
      EXPECT_EQ(opener.open(sealed(number), next, frames), number) << next;
    }
  }
  // Of another turn: the nonce is another.
  EXPECT_FALSE(opener.open(sealed(7), 3 * kTurn, frames));
}

}  // namespace
}  // namespace paceline
