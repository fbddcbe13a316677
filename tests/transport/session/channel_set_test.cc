#include "transport/session/channel_set.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using qvid::operator""s;

struct ChannelSetTest : testing::Test {
  Channel& add(std::uint32_t id, bool open, std::uint32_t segment = 0) {
    return channels.add(ChannelId(id), segment, Bound{}, open, now);
  }
  std::vector<ChannelSet::Ended> ended() {
    std::vector<ChannelSet::Ended> all;
    channels.take_ended(all);
    return all;
  }

  Timestamp now{100s};
  SessionConfig config;
  ChannelSet channels{Side::kClient, config};
};

TEST_F(ChannelSetTest, WhatIsRemovedCarriesNothingAndItsSocketIsToBeClosed) {
  for (std::uint32_t id : {0u, 1u, 2u}) add(id, true);
  channels.set_active(ChannelId(1));
  channels.set_receiving(ChannelId(2));
  channels.remove(ChannelId(0), false);
  EXPECT_EQ(channels.active(), ChannelId(1));
  channels.remove(ChannelId(1), true);
  EXPECT_EQ(channels.active(), std::nullopt);
  EXPECT_EQ(channels.receiving(), ChannelId(2));
  channels.remove(ChannelId(2), true);
  EXPECT_EQ(channels.receiving(), std::nullopt);
  EXPECT_EQ(channels.find(ChannelId(1)), nullptr);
  const auto all = ended();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_FALSE(all[0].abort);
  EXPECT_EQ(all[1].channel, ChannelId(1));
  EXPECT_TRUE(all[1].abort);
  EXPECT_TRUE(ended().empty());
}

TEST_F(ChannelSetTest, CountsByWhatTheyAreGoodFor) {
  add(0, true);
  add(1, false);
  add(2, true, 480);
  EXPECT_EQ(channels.size(), 3u);
  EXPECT_EQ(channels.open(), 2u);
  EXPECT_EQ(channels.count(false), 2u);
  EXPECT_EQ(channels.count(true), 1u);
  channels.find(ChannelId(0))->abandoned = true;
  EXPECT_EQ(channels.count(false), 1u);
}

TEST_F(ChannelSetTest, ASilentChannelIsProbedAndThenGivenUp) {
  EXPECT_EQ(channels.next_check(), qvid::kNever);
  Channel& channel = add(0, true);
  EXPECT_EQ(channels.next_check(), now + config.probe_interval);
  EXPECT_TRUE(channels.check(now + 2s).empty());
  EXPECT_FALSE(channel.probe_due);
  EXPECT_TRUE(channels.check(now + 3s).empty());
  EXPECT_TRUE(std::exchange(channel.probe_due, false));
  EXPECT_EQ(channels.next_check(), now + 6s);
  channel.last_heard = now + 5s;
  EXPECT_EQ(channels.next_check(), now + 8s);
  EXPECT_TRUE(channels.check(now + 14s).empty());
  EXPECT_EQ(channels.next_check(), now + 15s);
  EXPECT_EQ(channels.check(now + 15s), std::vector{ChannelId(0)});
}

TEST_F(ChannelSetTest, ANewChannelMustGreetInTimeAndIsNotProbed) {
  Channel& channel = add(1, false);
  EXPECT_EQ(channels.next_check(), now + config.greeting_timeout);
  EXPECT_TRUE(channels.check(now + 9s).empty());
  EXPECT_FALSE(channel.probe_due);
  EXPECT_EQ(channels.check(now + 10s), std::vector{ChannelId(1)});
}

TEST_F(ChannelSetTest, AtTheEndAllSocketsAreClosedInPeace) {
  add(0, true);
  add(1, true);
  channels.end_all();
  channels.turn_away(ChannelId(2));
  const auto all = ended();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_FALSE(all[0].abort);
  EXPECT_FALSE(all[1].abort);
  EXPECT_TRUE(all[2].abort);
}

}  // namespace
}  // namespace paceline
