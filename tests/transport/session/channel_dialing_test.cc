#include "transport/session/channel_dialing.h"

#include <gtest/gtest.h>

#include "transport/send/segment_policy.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

struct ChannelDialingTest : testing::Test {
  ChannelDialingTest() { connect(0); }
  // What was dialled is there and open.
  ChannelId connect(std::uint32_t segment) {
    const ChannelId id = dialing.connected(segment);
    channels.add(id, segment, Hello{}, true, now);
    dialing.on_open();
    return id;
  }
  std::vector<std::uint32_t> dial_all() {
    std::vector<std::uint32_t> segments;
    while (const auto segment = dialing.dial(needs, channels, now)) segments.push_back(*segment);
    return segments;
  }

  Timestamp now{100s};
  SessionConfig config;
  ChannelSet channels{Side::kClient, config};
  ChannelDialing dialing{config};
  ChannelNeeds needs;
};

TEST_F(ChannelDialingTest, AChannelForEachDirectionAndTheStandbys) {
  EXPECT_EQ(dialing.next_dial(needs, channels, now), now);
  EXPECT_EQ(dial_all(), (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(dialing.next_dial(needs, channels, now), qvid::kNever);
  EXPECT_EQ(connect(0), ChannelId(1));
  EXPECT_TRUE(dial_all().empty());  // the other is under way
  dialing.failed(0);
  EXPECT_EQ(dial_all().size(), 1u);
}

TEST_F(ChannelDialingTest, LanesNeedThreeMoreAndTenAreEnough) {
  needs.lanes = true;
  EXPECT_EQ(dial_all().size(), 5u);
  config.standby = 8;
  EXPECT_EQ(dial_all().size(), 4u);
}

TEST_F(ChannelDialingTest, WithoutStandbyThereAreNoLanes) {
  config.standby = 0;
  config.separate_directions = false;
  needs.lanes = true;
  EXPECT_TRUE(dial_all().empty());
}

TEST_F(ChannelDialingTest, OneWithSmallSegmentsWhereItIsWanted) {
  dial_all();
  needs.small = true;
  EXPECT_EQ(dial_all(), std::vector{kSmallSegment});
  const ChannelId small = connect(kSmallSegment);
  EXPECT_TRUE(dial_all().empty());
  EXPECT_TRUE(dialing.surplus(needs, channels).empty());
  needs.small = false;
  EXPECT_EQ(dialing.surplus(needs, channels), std::vector{small});
}

TEST_F(ChannelDialingTest, AfterAFailureItWaits) {
  dial_all();
  dialing.failed(0);
  dialing.back_off(now);
  EXPECT_TRUE(dial_all().empty());
  const Timestamp next = dialing.next_dial(needs, channels, now);
  EXPECT_GT(next, now);
  EXPECT_LE(next, now + 100ms);
  now = next;
  EXPECT_EQ(dial_all().size(), 1u);
}

TEST_F(ChannelDialingTest, WhileInterruptedOneASecondOrSoonerAndThreeAtOnce) {
  dial_all();
  for (int i = 0; i < 2; ++i) {
    dialing.failed(0);
    dialing.back_off(now);
  }
  channels.remove(kFirstChannel, true);
  dialing.on_interrupted(now);
  needs.interrupted = true;
  for (int dialled = 0; dialled < 3; ++dialled) {
    EXPECT_EQ(dialing.next_dial(needs, channels, now), now);
    EXPECT_EQ(dial_all().size(), 1u);
    now += 333ms;
    EXPECT_TRUE(dial_all().empty());
    now += 667ms;
  }
  EXPECT_EQ(dialing.next_dial(needs, channels, now), qvid::kNever);
}

TEST_F(ChannelDialingTest, WhatIsBeyondTheWantedGoesUnlessItCarriesContent) {
  for (int i = 0; i < 4; ++i) connect(0);
  channels.set_active(ChannelId(4));
  channels.set_receiving(ChannelId(3));
  EXPECT_EQ(dialing.surplus(needs, channels), (std::vector{ChannelId(2), ChannelId(1)}));
}

}  // namespace
}  // namespace paceline
