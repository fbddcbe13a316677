// Small segments under severe congestion (003): when they are wanted, and that content then goes
// over a socket that has them, and back.
#include "transport/send/segment_policy.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/transport/call.h"

namespace paceline::segments_test {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

const Timestamp t0{Duration(1s)};
constexpr ByteCount kTiny(3 * 1448);
constexpr ByteCount kMiddle(6 * 1448);
constexpr ByteCount kLarge(9 * 1448);

TEST(SegmentPolicy, SmallOnlyWhereTheWindowIsTinyAndThePathStalls) {
  SegmentPolicy policy;
  for (Duration t{}; t < 20s; t += 100ms) {
    policy.on_gap(199ms, t0 + t);  // no time-out
    EXPECT_FALSE(policy.update(kTiny, t0 + t));
  }
  SegmentPolicy large;
  for (Duration t{}; t < 20s; t += 100ms) {
    large.on_gap(300ms, t0 + t);
    EXPECT_FALSE(large.update(kMiddle, t0 + t));
  }
}

TEST(SegmentPolicy, ChangesAfterThreeSecondsOnly) {
  SegmentPolicy policy;
  EXPECT_FALSE(policy.update(kLarge, t0));
  policy.on_gap(200ms, t0);
  EXPECT_FALSE(policy.update(kTiny, t0 + 2900ms));
  EXPECT_TRUE(policy.update(kTiny, t0 + 3s));
  // In between neither way.
  EXPECT_TRUE(policy.update(kMiddle, t0 + 20s));
  EXPECT_TRUE(policy.update(kLarge, t0 + 22900ms));
  EXPECT_FALSE(policy.update(kLarge, t0 + 23s));
}

TEST(SegmentPolicy, AMomentOfReliefStartsTheWaitAgain) {
  SegmentPolicy policy;
  policy.on_gap(300ms, t0);
  policy.update(kLarge, t0);
  policy.update(kTiny, t0 + 2s);
  policy.update(kMiddle, t0 + 2500ms);
  EXPECT_FALSE(policy.update(kTiny, t0 + 5400ms));
  EXPECT_TRUE(policy.update(kTiny, t0 + 5500ms));
}

TEST(SegmentPolicy, ForgetsAStallInTenSeconds) {
  SegmentPolicy policy;
  policy.on_gap(300ms, t0);
  policy.update(kLarge, t0 + 7500ms);
  EXPECT_FALSE(policy.update(kTiny, t0 + 10500ms));
}

TEST(SegmentPolicy, WindowThatNobodyKnowsIsNotTiny) {
  SegmentPolicy policy;
  for (Duration t{}; t < 20s; t += 100ms) {
    policy.on_gap(300ms, t0 + t);
    EXPECT_FALSE(policy.update(ByteCount(), t0 + t));
  }
}

// The kernel's window is the controller's: one segment, and a stall every second.
struct Congested : testing::Test {
  Congested() {
    call.net.on_record([this](Side, ChannelId channel, const Record& record) {
      if (const auto* bind = std::get_if<Bind>(&record)) segments[channel] = bind->segment;
    });
  }
  void suffer(Duration time, const std::vector<Side>& who) {
    call.net.link().cwnd = 1;
    for (const Timestamp until = call.net.now() + time; call.net.now() < until;) {
      for (const Side side : who) call.net.stall(call.net.active(side), 205ms);
      call.talk(1s, 500);
    }
  }
  void recover(Duration time) {
    call.net.link().cwnd = 22;
    call.talk(time, 500);
  }
  bool small(Side side) { return call.net.engine(side).signals(call.net.now()).small_segments; }
  static SessionConfig config() {
    SessionConfig config;
    config.controller.name = "sock";
    return config;
  }
  std::map<ChannelId, std::uint32_t> segments;  // by what was bound
  // The stalls are over before the channel is given up.
  Call call{{.delay = std::chrono::milliseconds(5)}, config(), config()};
};

TEST_F(Congested, SmallSegmentsAreDialledTakenOverAndGivenBack) {
  suffer(8s, {Side::kClient, Side::kServer});
  for (const Side side : {Side::kClient, Side::kServer}) {
    EXPECT_TRUE(small(side));
    EXPECT_EQ(segments[call.net.active(side)], kSmallSegment);
  }
  recover(8s);
  for (const Side side : {Side::kClient, Side::kServer}) {
    EXPECT_FALSE(small(side));
    EXPECT_EQ(segments[call.net.active(side)], 0u);
  }
  for (const ChannelId c : call.net.channels()) EXPECT_EQ(segments[c], 0u);
  EXPECT_EQ(call.net.channels().size(), 3u);
  EXPECT_NE(call.net.active(Side::kClient), call.net.active(Side::kServer));
  call.net.run_for(1s);
  call.expect_all_delivered();
}

// The wish of a server goes down with the channel that it was written to.
TEST_F(Congested, WishOfTheServerSurvivesItsChannel) {
  bool wished = false;
  call.net.on_record([&](Side from, ChannelId channel, const Record& record) {
    if (const auto* bind = std::get_if<Bind>(&record)) segments[channel] = bind->segment;
    const auto* wish = std::get_if<Segments>(&record);
    if (wish == nullptr || wish->segment == 0 || wished) return;
    wished = true;
    EXPECT_EQ(from, Side::kServer);
    call.net.cut(channel, {});
  });
  suffer(8s, {Side::kServer});
  EXPECT_TRUE(wished);
  EXPECT_TRUE(small(Side::kServer));
  suffer(4s, {Side::kServer});
  EXPECT_EQ(segments[call.net.active(Side::kServer)], kSmallSegment);
}

TEST_F(Congested, DialOfASmallOneThatFailsIsTriedAgain) {
  suffer(6s, {Side::kClient});
  ASSERT_TRUE(small(Side::kClient));
  const ChannelId first = call.net.active(Side::kClient);
  ASSERT_EQ(segments[first], kSmallSegment);
  call.net.cut_all({Side::kClient, Side::kServer});
  call.net.delays = {600ms, 500ms, 400ms, 300ms};
  call.net.failing_dials = 3;
  suffer(6s, {});
  EXPECT_EQ(segments[call.net.active(Side::kClient)], kSmallSegment);
  EXPECT_EQ(call.net.channels().size(), 4u);
  call.net.run_for(5s);
  call.expect_all_delivered();
}

TEST_F(Congested, EndThatDoesNotWantThemHasNone) {
  SessionConfig never = config();
  never.small_segments = false;
  for (const Side side : {Side::kClient, Side::kServer}) {
    Call other({.delay = 5ms, .cwnd = 1}, side == Side::kClient ? never : config(),
               side == Side::kServer ? never : config());
    bool dialled = false;
    other.net.on_record([&](Side, ChannelId, const Record& record) {
      const auto* bind = std::get_if<Bind>(&record);
      dialled |= bind != nullptr && bind->segment != 0;
    });
    for (int i = 0; i < 8; ++i) {
      other.net.stall(other.net.active(side), 205ms);
      other.talk(1s, 500);
    }
    EXPECT_FALSE(dialled);
    other.net.run_for(1s);
    other.expect_all_delivered();
  }
}

}  // namespace
}  // namespace paceline::segments_test
