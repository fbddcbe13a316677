// Shows how long after its capture a picture is to be shown, by what units have needed: that what
// comes again is covered, that what came once is not, and that no peer makes it more than the most.
#include "media/playout/playout_delay.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "media/unit/timeline_frames.h"

namespace qvid::media::playout_delay_test {
namespace {

constexpr FrameRate kRate{25, 1};
constexpr Duration kFrame = 40ms;
constexpr int kWindow = 3;
const Timestamp kStart(1h);

class Delay : public ::testing::Test {
 protected:
  // Frames for so long, from where it was.
  void run(Duration length, const std::function<Duration(int)>& base,
           const std::function<Duration(int)>& whole) {
    for (const Timestamp end = now_ + length; now_ < end; now_ += kFrame, ++frame_) {
      delay_.on_base(base(frame_), now_);
      delay_.on_whole(whole(frame_), now_);
    }
  }
  static std::function<Duration(int)> always(Duration need) {
    return [need](int) { return need; };
  }

  PlayoutDelay delay_{kRate, PlayoutMode::kEarly, kWindow};
  Timestamp now_ = kStart;
  int frame_ = 0;
};

TEST_F(Delay, BeginsAtNothing) {
  EXPECT_EQ(delay_.target(), PlayoutDelay::kMargin);
  EXPECT_EQ(delay_.base_need(), 0ms);
}

TEST_F(Delay, IsWhatAllLayersNeedUpToAFrameMoreThanTheBase) {
  run(3s, always(12ms), always(30ms));
  EXPECT_EQ(delay_.target(), 30ms + PlayoutDelay::kMargin);
  run(3s, always(12ms), always(90ms));
  EXPECT_EQ(delay_.target(), 12ms + kFrame + PlayoutDelay::kMargin);
  // Layers that do not come any more are not waited for.
  now_ += 1s;
  for (int i = 0; i < 100; ++i) delay_.on_base(12ms, now_ += kFrame);
  EXPECT_EQ(delay_.target(), 12ms + PlayoutDelay::kMargin);
}

TEST_F(Delay, DecodingIsInIt) {
  run(3s, always(20ms), always(20ms));
  for (int i = 0; i < 100; ++i) delay_.on_decoded(7ms, now_ += kFrame);
  EXPECT_EQ(delay_.decoding(), 7ms + PlayoutDelay::kMargin);
  for (int i = 0; i < 100; ++i) delay_.on_decoded(3s, now_ += kFrame);
  EXPECT_EQ(delay_.decoding(), PlayoutDelay::kMostDecoding + PlayoutDelay::kMargin);
}

// Every fourth frame is larger: under a quantile of 75 % it would be late each time.
TEST_F(Delay, TheLargestOfTheLayersIsCovered) {
  run(
      5s, [](int n) { return n % 4 == 0 ? 25ms : 5ms; }, always(0ms));
  EXPECT_EQ(delay_.target(), 25ms + PlayoutDelay::kMargin);
}

TEST_F(Delay, WhatCameOnceIsNotWaitedFor) {
  run(10s, always(10ms), always(10ms));
  run(400ms, always(100ms), always(100ms));  // a fall of the rate
  EXPECT_EQ(delay_.target(), 10ms + PlayoutDelay::kMargin);
  run(5s, always(10ms), always(10ms));
  EXPECT_EQ(delay_.target(), 10ms + PlayoutDelay::kMargin);
}

TEST_F(Delay, WhatComesAgainIsWaitedForAndForgotten) {
  run(10s, always(10ms), always(10ms));
  run(
      3s, [](int n) { return n % 12 == 0 ? 70ms : 10ms; }, always(10ms));
  EXPECT_EQ(delay_.target(), 70ms + PlayoutDelay::kMargin);
  run(3s, always(10ms), always(10ms));
  EXPECT_EQ(delay_.target(), 10ms + PlayoutDelay::kMargin);
}

TEST_F(Delay, SmoothKeepsTheMostOfTenSeconds) {
  delay_ = PlayoutDelay(kRate, PlayoutMode::kSmooth, kWindow);
  run(5s, always(10ms), always(10ms));
  run(kFrame, always(100ms), always(10ms));
  run(9s, always(10ms), always(10ms));
  EXPECT_EQ(delay_.target(), 100ms + PlayoutDelay::kMargin);
  run(2s, always(10ms), always(10ms));
  EXPECT_EQ(delay_.target(), 10ms + PlayoutDelay::kMargin);
}

TEST_F(Delay, FixedIsThePapersTimeline) {
  delay_ = PlayoutDelay(kRate, PlayoutMode::kFixed, kWindow);
  run(5s, always(100ms), always(500ms));
  EXPECT_EQ(delay_.target(), (kSetupFrames + kWindow + kDecodeFrames) * kFrame);
}

TEST_F(Delay, IsNeverMoreThanTheDeadlineAllows) {
  std::mt19937 random(1);
  for (const PlayoutMode mode : {PlayoutMode::kEarly, PlayoutMode::kSmooth}) {
    delay_ = PlayoutDelay(kRate, mode, kWindow);
    for (int i = 0; i < 10000; ++i) {
      const auto any = [&] { return (static_cast<std::int64_t>(random()) - (1LL << 31)) * 1us; };
      delay_.on_base(any(), now_ += static_cast<int>(random() % 100) * 1ms);
      delay_.on_whole(any(), now_);
      if (i % 7 == 0) delay_.on_decoded(any(), now_);
      if (i % 11 == 0) delay_.on_offset_risen(any());
      EXPECT_LE(delay_.target(), delay_.most());
      EXPECT_LE(delay_.most(), (kSetupFrames + kWindow) * kFrame + PlayoutDelay::kMostDecoding +
                                   PlayoutDelay::kMargin);
    }
  }
}

// Needs are counted from the offset: what is known is of the old one.
TEST_F(Delay, ALongerRouteIsNoNeed) {
  run(3s, always(10ms), always(10ms));
  run(2s, always(90ms), always(90ms));
  EXPECT_EQ(delay_.target(), 90ms + PlayoutDelay::kMargin);
  delay_.on_offset_risen(80ms);
  EXPECT_EQ(delay_.target(), 10ms + PlayoutDelay::kMargin);
}

}  // namespace
}  // namespace qvid::media::playout_delay_test
