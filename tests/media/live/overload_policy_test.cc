// Shows how far an overloaded machine falls, when it climbs again and that it does not flap.
#include "media/live/overload_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace qvid::media::overload_policy_test {
namespace {

constexpr FrameRate kRate{25, 1};
constexpr Duration kFrame = 40ms;

// A machine that encodes so many pixels a second, in virtual time. Frames come at the places of the
// timeline; where encoding takes longer than there is, places pass.
class Machine : public ::testing::Test {
 protected:
  // `full`: what a full picture takes.
  void run(Duration time, Duration full) {
    for (const Timestamp end = now_ + time; now_ < end;) {
      const EncodingLevel& level = policy_.at(policy_.level());
      const auto took = Duration(
          static_cast<std::int64_t>(static_cast<double>(full.count()) * level.scale * level.scale));
      const Duration between = level.places_per_frame * kFrame;
      const std::int64_t places = std::max<std::int64_t>(1, (took + between - 1ns) / between);
      const bool skipped = std::exchange(skip_next_, false) || places > 1;
      const bool changed = policy_.on_frame(took, skipped, now_ + took);
      EXPECT_EQ(changed, policy_.level() != levels_.back().second);
      if (changed) levels_.emplace_back(now_ + took - kStart, policy_.level());
      now_ += places * between;
    }
  }
  std::size_t level() const { return policy_.level(); }
  Duration fallen_after() const { return levels_.back().first; }

  static constexpr Timestamp kStart{1h};
  OverloadPolicy policy_{kRate};
  Timestamp now_ = kStart;
  bool skip_next_ = false;
  std::vector<std::pair<Duration, std::size_t>> levels_ = {{Duration(), 0}};
};

TEST_F(Machine, ThatKeepsUpIsLeftAlone) {
  run(60s, 35ms);  // 0.875
  EXPECT_EQ(levels_.size(), 1u);
}

TEST_F(Machine, ThatDoesNotFallsAfterASecond) {
  run(900ms, 37ms);  // 0.925
  EXPECT_EQ(level(), 0u);
  run(200ms, 37ms);
  EXPECT_EQ(level(), 1u);
  EXPECT_EQ(policy_.overload().encoding, 37ms);
  EXPECT_EQ(policy_.overload().frame_time, kFrame);
}

TEST_F(Machine, FallsAsFarAsItMust) {
  for (const auto& [full, least] :
       {std::pair{39ms, 1u}, {63ms, 1u}, {65ms, 2u}, {140ms, 2u}, {150ms, 3u}, {900ms, 3u}}) {
    SCOPED_TRACE(to_ms(full));
    policy_ = OverloadPolicy(kRate);
    levels_ = {{Duration(), 0}};
    run(9s, full);
    EXPECT_EQ(level(), least);
  }
}

TEST_F(Machine, WhereDetailIsPreferredFewerPicturesComeBeforeSmallerOnes) {
  for (const auto& [full, least, scale, places] : {std::tuple{39ms, 1u, 1.0, 2},
                                                   {75ms, 2u, 1.0, 4},
                                                   {140ms, 2u, 1.0, 4},
                                                   {900ms, 3u, 0.75, 4}}) {
    SCOPED_TRACE(to_ms(full));
    policy_ = OverloadPolicy(kRate, Preference::kDetail);
    levels_ = {{Duration(), 0}};
    run(30s, full);
    EXPECT_EQ(level(), least);
    EXPECT_EQ(policy_.at(level()).scale, scale);
    EXPECT_EQ(policy_.at(level()).places_per_frame, places);
  }
}

TEST_F(Machine, ASlowFrameOrASkippedPlaceIsNoOverload) {
  for (int i = 0; i < 30; ++i) {
    run(1s, 20ms);
    run(40ms, 200ms);  // and four places skipped
    skip_next_ = true;
  }
  EXPECT_EQ(levels_.size(), 1u);
}

TEST_F(Machine, PlacesSkippedOftenAreOverloadThoughEncodingIsQuick) {
  for (int i = 0; i < 15; ++i) {
    skip_next_ = true;
    run(2 * kFrame, 10ms);
  }
  EXPECT_EQ(level(), 1u);
  EXPECT_EQ(policy_.overload().encoding, 10ms);
}

TEST_F(Machine, ClimbsAfterTenSecondsOfRoom) {
  run(1500ms, 50ms);
  ASSERT_EQ(level(), 1u);
  const Duration fallen = fallen_after();
  run(30s, 23ms);  // 0.575 predicted for full
  ASSERT_EQ(level(), 0u);
  EXPECT_GE(levels_.back().first - fallen, 10s);
  EXPECT_LE(levels_.back().first - fallen, 13s);
}

TEST_F(Machine, StaysWhereTheNextLevelWouldBeTight) {
  run(1500ms, 50ms);
  ASSERT_EQ(level(), 1u);
  run(300s, 25ms);  // 0.625 predicted
  EXPECT_EQ(level(), 1u);
}

TEST_F(Machine, OneBusySecondBeginsTheWaitAgain) {
  run(1500ms, 50ms);
  ASSERT_EQ(level(), 1u);
  run(8s, 15ms);
  run(1500ms, 30ms);
  run(8s, 15ms);
  EXPECT_EQ(level(), 1u);
  run(4s, 15ms);
  EXPECT_EQ(level(), 0u);
}

TEST_F(Machine, ClimbsStepByStepAndTheRateComesFirst) {
  run(6s, 200ms);
  ASSERT_EQ(level(), 3u);
  levels_.erase(levels_.begin(), levels_.end() - 1);
  run(60s, 10ms);
  std::vector<std::size_t> climb;
  for (const auto& [when, to] : levels_) climb.push_back(to);
  EXPECT_EQ(climb, (std::vector<std::size_t>{3, 2, 1, 0}));
}

// The load comes back with each climb, as where a second program works only when there is room.
TEST_F(Machine, WaitsLongerEachTimeAClimbFailsSoon) {
  std::vector<Duration> waits;
  for (int i = 0; i < 8; ++i) {
    run(2s, 50ms);
    ASSERT_EQ(level(), 1u);
    const Duration fallen = fallen_after();
    while (level() == 1) run(1s, 15ms);
    waits.push_back(levels_.back().first - fallen);
  }
  const std::vector<Duration> wanted = {10s, 20s, 40s, 80s, 160s, 300s, 300s, 300s};
  for (std::size_t i = 0; i < waits.size(); ++i) {
    EXPECT_GE(waits[i], wanted[i]) << i;
    EXPECT_LE(waits[i], wanted[i] + 3s) << i;
  }
  // It has held: the next fall is news.
  run(31s, 15ms);
  run(2s, 50ms);
  const Duration fallen = fallen_after();
  while (level() == 1) run(1s, 15ms);
  EXPECT_LE(levels_.back().first - fallen, 13s);
}

TEST_F(Machine, APauseIsNeitherLoadNorCalm) {
  run(1500ms, 50ms);
  ASSERT_EQ(level(), 1u);
  run(5s, 15ms);
  now_ += 1h;
  skip_next_ = true;
  run(8s, 15ms);
  EXPECT_EQ(level(), 1u);
  run(4s, 15ms);
  EXPECT_EQ(level(), 0u);
}

TEST_F(Machine, AHopelesslySlowOneIsSeenThroughLongFrames) {
  run(60s, 3s);  // longer than what counts as a pause
  EXPECT_EQ(level(), 3u);
}

TEST(OverloadPolicy, IsToldInWordsForAPerson) {
  EXPECT_EQ(describe_limit({480, 360}, 15, {.encoding = 41ms, .frame_time = 33'333us}),
            "480x360 at 15 fps: encoding takes 41 ms of 33");
  EXPECT_EQ(describe_limit({320, 240}, 30000.0 / 1001, {.encoding = 5'240us, .frame_time = 4ms}),
            "320x240 at 30 fps: encoding takes 5.2 ms of 4");
  EXPECT_EQ(describe_limit({640, 360}, 12.5, {.encoding = 20ms, .frame_time = 40ms}),
            "640x360 at 12.5 fps: the computer is busy, encoding takes 20 ms of 40");
}

}  // namespace
}  // namespace qvid::media::overload_policy_test
