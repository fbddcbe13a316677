// Each numbered record is taken once, whichever channel brings it, and a gap is the peer's fault.
#include "transport/receive/receiver.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using Moved = Receiver::Moved;

struct ReceiverTest : testing::Test {
  // "!" for an error.
  std::string activate(std::uint64_t epoch, std::uint64_t next, bool on_active) {
    const auto moved = receiver.on_activate({.epoch = epoch, .next = next}, on_active);
    if (!moved) return "!";
    return *moved == Moved::kYes ? "yes" : *moved == Moved::kNo ? "no" : "renumbered";
  }
  // How many of `count` records are new.
  int take(int count) {
    int fresh = 0;
    for (int i = 0; i < count; ++i) fresh += receiver.on_numbered();
    return fresh;
  }
  Receiver receiver{Limits{}};
};

TEST_F(ReceiverTest, CountsFromZero) {
  EXPECT_EQ(activate(1, 0, false), "yes");
  EXPECT_EQ(take(5), 5);
  EXPECT_EQ(receiver.next_expected(), 5u);
  EXPECT_EQ(receiver.duplicates(), 0u);
}

TEST_F(ReceiverTest, WhatIsWrittenAgainIsTakenOnce) {
  activate(1, 0, false);
  take(5);
  EXPECT_EQ(activate(2, 2, false), "yes");
  EXPECT_EQ(take(3), 0);
  EXPECT_EQ(take(2), 2);
  EXPECT_EQ(receiver.next_expected(), 7u);
  EXPECT_EQ(receiver.duplicates(), 3u);
}

TEST_F(ReceiverTest, OlderEpochsAreIgnored) {
  EXPECT_EQ(activate(3, 0, false), "yes");
  EXPECT_EQ(activate(2, 0, false), "no");
  EXPECT_EQ(activate(1, 99, false), "no");
  EXPECT_EQ(receiver.epoch(), 3u);
}

TEST_F(ReceiverTest, GapsAreRefused) {
  EXPECT_EQ(activate(1, 1, false), "!");
  activate(1, 0, false);
  take(5);
  EXPECT_EQ(activate(2, 6, false), "!");
  EXPECT_EQ(activate(1, 6, true), "!");
  EXPECT_EQ(activate(2, 5, false), "yes");
}

TEST_F(ReceiverTest, OneChannelOfAnEpoch) {
  activate(1, 0, false);
  EXPECT_EQ(activate(1, 0, false), "!");
}

// The sender has learnt what need not come again.
TEST_F(ReceiverTest, NumbersMayJumpOverWhatHasCome) {
  activate(1, 0, false);
  take(10);
  activate(2, 0, false);
  EXPECT_EQ(take(3), 0);
  EXPECT_EQ(activate(2, 10, true), "renumbered");
  EXPECT_EQ(take(4), 4);
  EXPECT_EQ(receiver.next_expected(), 14u);
}

}  // namespace
}  // namespace paceline
