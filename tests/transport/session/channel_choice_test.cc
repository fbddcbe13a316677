// The choice alone; what it does for sessions on bad paths: failover_test, channels_test.
#include "transport/session/channel_choice.h"

#include <gtest/gtest.h>

namespace paceline::channel_choice_test {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

constexpr ChannelId kSecond{1};
constexpr ChannelId kThird{2};

struct ChannelChoiceTest : testing::TestWithParam<Side> {
  ChannelChoiceTest() { choice.begin(open(kFirstChannel).id, now); }

  Channel& open(ChannelId id, std::uint32_t segment = 0) {
    now += 1ms;  // each is heard later than those before
    return channels.add(id, segment, Bound{}, true, now);
  }
  // Writes what waits, the first ping among it, and has all of it acknowledged.
  void settle() {
    WriteBatch batch;
    sender.produce(batch, now, 1 << 20);
    ASSERT_TRUE(sender.on_ack(sender.acks().next_number(), true, now));
  }

  Timestamp now{100s};
  SessionConfig config;
  std::vector<SessionEvent> events;
  Sender sender{{.send_capacity = qvid::operator""_MiB(1),
                 .reassembly_budget = qvid::operator""_MiB(1),
                 .controller = {}},
                events};
  ChannelSet channels{GetParam(), config};
  SegmentWish segments{GetParam(), true};
  ChannelChoice choice{GetParam(), config, channels, sender, segments};
};
INSTANTIATE_TEST_SUITE_P(Sides, ChannelChoiceTest, testing::Values(Side::kClient, Side::kServer));

TEST_P(ChannelChoiceTest, FailsOverToTheOneHeardLastAndGivesTheOtherBack) {
  open(kSecond);
  open(kThird);
  EXPECT_EQ(choice.fail_over("silence", now), kFirstChannel);
  EXPECT_EQ(channels.active(), kThird);
  EXPECT_EQ(sender.failovers(), 1u);
  now += 50ms;
  const auto told = choice.on_progress(now);
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->sending);
  EXPECT_EQ(told->reason, "silence");
  EXPECT_EQ(told->gap, 50ms);
  EXPECT_FALSE(choice.on_progress(now));
}

TEST_P(ChannelChoiceTest, OfTwoTheOneLeftIsKeptAsTheLastResort) {
  open(kSecond);
  EXPECT_EQ(choice.fail_over("silence", now), std::nullopt);
  EXPECT_EQ(channels.active(), kSecond);
  EXPECT_TRUE(channels.find(kFirstChannel)->abandoned);
  EXPECT_EQ(choice.fail_over("silence", now), std::nullopt);
  EXPECT_EQ(channels.active(), kFirstChannel);
  EXPECT_FALSE(channels.find(kFirstChannel)->abandoned);
}

TEST_P(ChannelChoiceTest, AloneThereIsNothingToFailOverTo) {
  settle();
  EXPECT_EQ(choice.fails_at(), qvid::kNever);
  EXPECT_EQ(choice.fail_over("silence", now), std::nullopt);
  EXPECT_EQ(channels.active(), kFirstChannel);
  EXPECT_EQ(sender.failovers(), 0u);
}

TEST_P(ChannelChoiceTest, TheChannelOfThePeersContentIsTheLastStandby) {
  open(kSecond);
  open(kThird);
  channels.set_receiving(kThird);
  EXPECT_EQ(choice.fail_over("silence", now), kFirstChannel);
  EXPECT_EQ(channels.active(), kSecond);
}

TEST_P(ChannelChoiceTest, WhereBothDirectionsMeetTheServersMoves) {
  open(kSecond);
  channels.set_receiving(kFirstChannel);
  settle();
  choice.move_if_better(now);
  EXPECT_EQ(channels.active(), GetParam() == Side::kServer ? kSecond : kFirstChannel);
  EXPECT_EQ(sender.failovers(), 0u);
}

TEST_P(ChannelChoiceTest, MovesToTheWishedSegmentsOnceAllIsAcknowledged) {
  open(kSecond, kSmallSegment);
  choice.move_if_better(now);
  EXPECT_EQ(channels.active(), kFirstChannel);
  ControllerSignals few;
  few.window = ByteCount(3 * 1448);
  segments.update(300ms, few, now);
  segments.update(300ms, few, now + 4s);
  WriteBatch batch;
  sender.produce(batch, now, 1 << 20);
  choice.move_if_better(now);
  EXPECT_EQ(channels.active(), kFirstChannel);  // the ping is outstanding
  settle();
  choice.move_if_better(now);
  EXPECT_EQ(channels.active(), kSecond);
}

}  // namespace
}  // namespace paceline::channel_choice_test
