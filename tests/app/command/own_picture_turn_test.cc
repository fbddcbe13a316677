// Shows that one's own picture is drawn with the others', soon in any case, and at once without them.
#include "app/command/own_picture_turn.h"

#include <gtest/gtest.h>

#include <random>

namespace qvid::app {
namespace {

constexpr Duration kIdle = 250ms;
const Timestamp kStart{10s};

TEST(OwnPictureTurn, AloneItIsDrawnAtOnce) {
  OwnPictureTurn turn;
  for (Timestamp now = kStart; now < kStart + 1s; now += 33ms) {
    EXPECT_TRUE(turn.on_own(now));
    EXPECT_TRUE(turn.on_turn(false, now));
    EXPECT_FALSE(turn.on_turn(false, now)) << "nothing is left to draw";
    EXPECT_EQ(turn.wait(kIdle, now), kIdle);
  }
}

TEST(OwnPictureTurn, WaitsForTheOthersAndWakesNobody) {
  OwnPictureTurn turn;
  turn.on_turn(true, kStart);
  EXPECT_FALSE(turn.on_own(kStart + 10ms));
  EXPECT_FALSE(turn.on_turn(false, kStart + 12ms)) << "input: another's is still to come";
  EXPECT_TRUE(turn.on_turn(true, kStart + 33ms));
}

TEST(OwnPictureTurn, IsDrawnByItselfWhenTheOthersStop) {
  OwnPictureTurn turn;
  turn.on_turn(true, kStart);
  EXPECT_FALSE(turn.on_own(kStart + 10ms));
  EXPECT_TRUE(turn.on_own(kStart + 43ms)) << "the window is to learn until when it sleeps";
  EXPECT_FALSE(turn.on_turn(false, kStart + 43ms));
  EXPECT_EQ(turn.wait(kIdle, kStart + 43ms), 17ms);
  EXPECT_TRUE(turn.on_turn(false, kStart + 60ms));
  EXPECT_FALSE(turn.on_turn(false, kStart + 61ms));
  // None of them for a while: at once again.
  EXPECT_TRUE(turn.on_own(kStart + OwnPictureTurn::kRecently));
  EXPECT_TRUE(turn.on_turn(false, kStart + OwnPictureTurn::kRecently));
}

// Two cameras of 30 frames a second whose clocks differ, the other's pictures up to 8 ms early or late:
// about as many drawings as one of them has pictures, at every phase, and every own one soon.
TEST(OwnPictureTurn, TwoThatComeApartAreDrawnTogether) {
  constexpr Duration kFrame = 33'333us;
  constexpr int kFrames = 30 * 60;
  std::mt19937 random(1);
  std::uniform_int_distribution<int> jitter(-8'000, 8'000);
  OwnPictureTurn turn;
  Timestamp own = kStart;
  const auto other_at = [&](int i) {  // a whole frame apart by the end
    return kStart + i * kFrame * (kFrames - 1) / kFrames +
           std::chrono::microseconds(jitter(random));
  };
  int drawings = 0;
  int others = 0;
  Duration oldest{};
  Timestamp next_other = other_at(others);
  Timestamp last = kStart;
  for (int i = 0; i < kFrames;) {
    // Whatever comes first: an own picture, another's, the end of the window's sleep.
    const Timestamp due = last + turn.wait(kIdle, last);
    const Timestamp now = std::min({own, next_other, due});
    last = now;
    bool drawn = false;
    if (now == next_other) {
      drawn = true;
      if (turn.on_turn(true, now)) oldest = std::max(oldest, now - (own - kFrame));
      next_other = std::max(now + 1ms, other_at(++others));
    } else if (now == own) {
      ++i;
      own += kFrame;
      drawn = turn.on_own(now) && turn.on_turn(false, now);
    } else {
      drawn = turn.on_turn(false, now);
      if (drawn) oldest = std::max(oldest, now - (own - kFrame));
    }
    drawings += drawn ? 1 : 0;
  }
  EXPECT_LT(drawings, others + kFrames / 50);
  EXPECT_LE(oldest, kFrame);
}

}  // namespace
}  // namespace qvid::app
