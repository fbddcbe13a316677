// The choice alone; what lanes are good for: redundant_lanes_test.
#include "transport/session/lane_choice.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

struct LaneChoiceTest : testing::Test {
  LaneChoiceTest() {
    choice.set_peer_takes(true);
    for (std::uint32_t id = 0; id < 5; ++id) {
      now += 1ms;  // each is heard later than those before
      channels.add(ChannelId(id), 0, Bound{}, true, now);
    }
    channels.set_active(ChannelId(4));
    channels.set_receiving(ChannelId(3));
  }
  void want() {
    lanes.on_trouble(now);
    lanes.on_message(now);
  }
  std::vector<std::uint32_t> chosen() {
    choice.choose(now);
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < RedundantLanes::kLanes; ++i) {
      if (lanes.lane(i)) all.push_back(lanes.lane(i)->value());
    }
    return all;
  }

  Timestamp now{100s};
  SessionConfig config;
  ChannelSet channels{Side::kClient, config};
  RedundantLanes lanes;
  LaneChoice choice{channels, lanes};
};

TEST_F(LaneChoiceTest, NoneWhileThePathIsWell) {
  EXPECT_TRUE(chosen().empty());
  EXPECT_FALSE(choice.wanted());
}

TEST_F(LaneChoiceTest, ChannelsThatCarryNothingElseTheLastHeardFirst) {
  want();
  EXPECT_EQ(chosen(), (std::vector<std::uint32_t>{2, 1, 0}));
  EXPECT_TRUE(choice.wanted());
  now += 31s;
  EXPECT_TRUE(chosen().empty());
  EXPECT_FALSE(choice.wanted());
}

TEST_F(LaneChoiceTest, WhereTheyAreFewThePeersChannelIsOneToo) {
  want();
  channels.remove(ChannelId(0), true);
  EXPECT_EQ(chosen(), (std::vector<std::uint32_t>{2, 1, 3}));
}

TEST_F(LaneChoiceTest, TheContentsChannelOnlyWhereThereIsNoOther) {
  want();
  for (std::uint32_t id = 0; id < 4; ++id) channels.remove(ChannelId(id), true);
  EXPECT_EQ(chosen(), std::vector<std::uint32_t>{4});
}

TEST_F(LaneChoiceTest, NoneForAPeerThatKnowsNone) {
  choice.set_peer_takes(false);
  want();
  EXPECT_TRUE(chosen().empty());
  EXPECT_FALSE(choice.wanted());
}

TEST_F(LaneChoiceTest, ThePeersUseKeepsChannelsForHalfAMinute) {
  choice.on_peer_used(now);
  EXPECT_TRUE(chosen().empty());
  EXPECT_TRUE(choice.wanted());
  EXPECT_TRUE(choice.peer_uses(now + 29s));
  EXPECT_FALSE(choice.peer_uses(now + 30s));
}

}  // namespace
}  // namespace paceline
