// Shows that the pacer makes an even rate of what a device gives: how many frames it repeats and
// leaves out, that a source in step with it loses none, and that it has no drift. 25 frames a
// second make a frame 40 ms.
#include "media/live/frame_pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace qvid::media {
namespace {

constexpr FrameRate kRate{25, 1};
constexpr Duration kFrame = 40ms;
constexpr Timestamp kStart{1h};

// Frames are told apart by when they were captured.
VideoFrame captured(Timestamp when) {
  VideoFrame frame;
  frame.captured = when;
  return frame;
}

class Pacer : public ::testing::Test {
 protected:
  // Polls at every event up to `end`, not included.
  void run_to(Timestamp end) {
    for (Timestamp next = pacer_.next_event(); next < end; next = pacer_.next_event()) {
      poll(std::max(next, now_));
    }
    now_ = end;
  }
  void poll(Timestamp now) {
    now_ = now;
    auto paced = pacer_.poll(now);
    ASSERT_TRUE(paced) << "nothing at next_event";
    given_.push_back(*std::move(paced));
  }
  // A frame comes; what is due before it is taken first.
  void offer(Timestamp when) {
    run_to(when);
    pacer_.offer(captured(when), when);
    if (pacer_.next_event() <= when) poll(when);
  }
  // Frames of `period`, each off by what `jitter` says.
  void offer_steadily(int count, Duration period, const std::function<Duration()>& jitter = {}) {
    for (int i = 0; i < count; ++i) offer(kStart + i * period + (jitter ? jitter() : Duration()));
  }
  void expect_even() const {
    for (std::size_t i = 0; i < given_.size(); ++i) {
      EXPECT_EQ(given_[i].number, FrameNumber(static_cast<std::int64_t>(i)));
      EXPECT_EQ(given_[i].due, given_[0].due + i * kFrame);
    }
  }

  FramePacer pacer_{kRate};
  Timestamp now_ = kStart;
  std::vector<FramePacer::Paced> given_;
};

TEST_F(Pacer, GivesNothingBeforeTheFirstFrame) {
  EXPECT_EQ(pacer_.next_event(), kNever);
  EXPECT_FALSE(pacer_.poll(kStart + 1h));
}

TEST_F(Pacer, StartsWithTheFirstFrame) {
  pacer_.offer(captured(kStart), kStart);
  EXPECT_EQ(pacer_.next_event(), kStart);
  const auto paced = pacer_.poll(kStart);
  ASSERT_TRUE(paced);
  EXPECT_EQ(paced->number, FrameNumber(0));
  EXPECT_EQ(paced->due, kStart);
  EXPECT_FALSE(paced->duplicate);
  EXPECT_FALSE(pacer_.poll(kStart));
}

TEST_F(Pacer, ASourceInStepLosesNothing) {
  offer_steadily(1000, kFrame);
  ASSERT_EQ(given_.size(), 1000u);
  EXPECT_EQ(pacer_.duplicated(), 0);
  EXPECT_EQ(pacer_.dropped(), 0);
  expect_even();
}

TEST_F(Pacer, ASlowerSourceIsRepeated) {
  offer_steadily(101, 2 * kFrame);
  run_to(kStart + 200 * kFrame + 1ns);
  ASSERT_EQ(given_.size(), 201u);
  EXPECT_EQ(pacer_.duplicated(), 100);
  EXPECT_EQ(pacer_.dropped(), 0);
  for (std::size_t i = 0; i < given_.size(); ++i) {
    EXPECT_EQ(given_[i].duplicate, i % 2 == 1);
    EXPECT_EQ(given_[i].frame.captured, kStart + (i / 2) * 2 * kFrame);
  }
  expect_even();
}

TEST_F(Pacer, OfAFasterSourceTheNewestGoes) {
  offer_steadily(201, kFrame / 2);
  ASSERT_EQ(given_.size(), 101u);
  EXPECT_EQ(pacer_.duplicated(), 0);
  EXPECT_EQ(pacer_.dropped(), 100);
  // Polled before the frame that comes at the same instant: the newest is the one half a frame old.
  for (std::size_t i = 1; i < given_.size(); ++i) {
    EXPECT_LE(given_[i].due - given_[i].frame.captured, kFrame / 2);
    EXPECT_GE(given_[i].due, given_[i].frame.captured);
  }
  expect_even();
}

TEST_F(Pacer, WaitsHalfAFrameForALateOne) {
  offer(kStart);
  EXPECT_EQ(pacer_.next_event(), kStart + kFrame + kFrame / 2);
  EXPECT_FALSE(pacer_.poll(kStart + kFrame + kFrame / 2 - 1ns));
  offer(kStart + kFrame + kFrame / 2 - 1ns);
  ASSERT_EQ(given_.size(), 2u);
  EXPECT_FALSE(given_[1].duplicate);
  EXPECT_EQ(given_[1].due, kStart + kFrame);
  // The next one is later still: the last goes again, and it waits for its turn.
  offer(kStart + 2 * kFrame + kFrame / 2 + 1ns);
  ASSERT_EQ(given_.size(), 3u);
  EXPECT_TRUE(given_[2].duplicate);
  EXPECT_EQ(pacer_.next_event(), kStart + 3 * kFrame);
  EXPECT_EQ(pacer_.duplicated(), 1);
  EXPECT_EQ(pacer_.dropped(), 0);
}

// A device with our rate is off by up to 5 ms each time. Wherever in our frame time its frames
// come, at most one frame is repeated or left out, at the beginning.
TEST_F(Pacer, JitterCostsNothingAtAnyPhase) {
  for (Duration phase = 0ms; phase < kFrame; phase += 1ms) {
    SCOPED_TRACE(to_ms(phase));
    std::mt19937 random(static_cast<unsigned>(phase / 1ms));
    std::uniform_int_distribution<int> jitter(-5000, 5000);
    pacer_ = FramePacer(kRate);
    given_.clear();
    now_ = kStart;
    offer(kStart);  // sets the timeline
    Timestamp when = kStart + kFrame + phase;
    for (int i = 0; i < 50; ++i, when += kFrame) offer(when + jitter(random) * 1us);
    const std::int64_t settled = pacer_.duplicated() + pacer_.dropped();
    const bool at_the_boundary = phase >= 14ms && phase <= 26ms;
    EXPECT_LE(settled, at_the_boundary ? 2 : 1);
    for (int i = 0; i < 1000; ++i, when += kFrame) offer(when + jitter(random) * 1us);
    EXPECT_EQ(pacer_.duplicated() + pacer_.dropped(), settled);
    expect_even();
  }
}

// A clock that runs 0.1 % fast gains a frame in 1000, one that is slow loses one, jitter or not.
TEST_F(Pacer, DriftCostsOneFrameATurn) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> jitter(-5000, 5000);
  offer_steadily(20'000, kFrame - kFrame / 1000, [&] { return jitter(random) * 1us; });
  EXPECT_NEAR(static_cast<double>(pacer_.dropped()), 20.0, 1.0);
  EXPECT_EQ(pacer_.duplicated(), 0);
  pacer_ = FramePacer(kRate);
  given_.clear();
  now_ = kStart;
  offer_steadily(20'000, kFrame + kFrame / 1000, [&] { return jitter(random) * 1us; });
  EXPECT_NEAR(static_cast<double>(pacer_.duplicated()), 20.0, 1.0);
  EXPECT_EQ(pacer_.dropped(), 0);
  expect_even();
}

TEST_F(Pacer, ASlowEncoderLowersTheRateAndNotTheTimeliness) {
  offer(kStart);
  // Every frame takes one and a half frame times to encode, and a new picture is always there.
  for (int i = 1; i <= 100; ++i) {
    now_ = kStart + i * kFrame * 3 / 2;
    pacer_.offer(captured(now_), now_);
    poll(now_);
    ASSERT_LE(now_ - given_.back().due, kFrame) << i;
  }
  EXPECT_EQ(given_.size(), 101u);
  EXPECT_EQ(pacer_.skipped(), 50);
  EXPECT_EQ(pacer_.duplicated(), 0);
}

TEST_F(Pacer, AfterALongGapTheTimelineMovesOn) {
  offer(kStart);
  now_ = kStart + 1000 * kFrame;
  pacer_.offer(captured(now_), now_);
  poll(now_);
  ASSERT_EQ(given_.size(), 2u);
  EXPECT_EQ(given_[1].number, FrameNumber(1));
  EXPECT_EQ(given_[1].due, kStart + 1000 * kFrame);  // still on the grid
  EXPECT_EQ(given_[1].frame.captured, now_);
  EXPECT_EQ(pacer_.skipped(), 999);
  EXPECT_GT(pacer_.next_event(), now_);
}

TEST_F(Pacer, AtHalfTheRateTheGridStays) {
  offer_steadily(4, kFrame);
  pacer_.set_places_per_frame(2);
  for (int i = 4; i < 24; ++i) offer(kStart + i * kFrame);
  ASSERT_EQ(given_.size(), 4u + 10u);
  for (std::size_t i = 4; i < given_.size(); ++i) {
    EXPECT_EQ(given_[i].number, FrameNumber(static_cast<std::int64_t>(i)));
    EXPECT_EQ(given_[i].due, kStart + (3 + 2 * (static_cast<int>(i) - 3)) * kFrame);
    EXPECT_FALSE(given_[i].duplicate);
  }
  EXPECT_EQ(pacer_.skipped(), 0);
  EXPECT_EQ(pacer_.duplicated(), 0);
  pacer_.set_places_per_frame(1);
  given_.clear();
  for (int i = 24; i < 44; ++i) offer(kStart + i * kFrame);
  // The place that had been chosen, then each.
  EXPECT_EQ(given_.size(), 19u);
  for (std::size_t i = 0; i < given_.size(); ++i) {
    EXPECT_EQ(given_[i].due, kStart + (25 + static_cast<int>(i)) * kFrame);
  }
}

TEST_F(Pacer, AtHalfTheRateAPlaceIsSkippedAfterTwoFrameTimes) {
  pacer_.set_places_per_frame(2);
  offer(kStart);
  now_ = kStart + 2 * kFrame + 2 * kFrame - 1ns;
  pacer_.offer(captured(now_), now_);
  poll(now_);
  EXPECT_EQ(pacer_.skipped(), 0);
  now_ = kStart + 6 * kFrame;
  pacer_.offer(captured(now_), now_);
  poll(now_);
  EXPECT_EQ(pacer_.skipped(), 1);
  EXPECT_EQ(given_.back().due, kStart + 6 * kFrame);
  EXPECT_EQ(pacer_.next_event(), kStart + 8 * kFrame + kFrame / 2);
}

TEST_F(Pacer, ASourceAtHalfTheRateAndHalfTheRateAskedForNeedNoRepeats) {
  pacer_.set_places_per_frame(2);
  offer_steadily(50, 2 * kFrame);
  EXPECT_EQ(given_.size(), 50u);
  EXPECT_EQ(pacer_.duplicated() + pacer_.dropped() + pacer_.skipped(), 0);
}

TEST_F(Pacer, PausesUntilTheSourceIsBackAndNumbersGoOn) {
  offer_steadily(3, kFrame);
  pacer_.pause();
  EXPECT_EQ(pacer_.next_event(), kNever);
  EXPECT_FALSE(pacer_.poll(kStart + 10s));
  offer(kStart + 10s + 7ms);
  ASSERT_EQ(given_.size(), 4u);
  EXPECT_EQ(given_[3].number, FrameNumber(3));
  EXPECT_EQ(given_[3].due, kStart + 10s + 7ms);
  EXPECT_FALSE(given_[3].duplicate);
  EXPECT_EQ(pacer_.skipped(), 0);
}

TEST_F(Pacer, APauseForgetsWhatWaited) {
  offer(kStart);
  pacer_.offer(captured(kStart + 1ms), kStart + 1ms);
  pacer_.pause();
  pacer_.offer(captured(kStart + 2s), kStart + 2s);
  EXPECT_EQ(pacer_.dropped(), 0);
  EXPECT_EQ(pacer_.poll(kStart + 2s)->frame.captured, kStart + 2s);
}

TEST_F(Pacer, HasNoDriftOverHours) {
  constexpr FrameRate kNtsc{30000, 1001};
  pacer_ = FramePacer(kNtsc);
  constexpr std::int64_t kFrames = 30000 * 12;  // 1001 s each: more than three hours
  for (std::int64_t n = 0; n <= kFrames; ++n) {
    const Timestamp when = kStart + kNtsc.time_of(n);
    pacer_.offer({}, when);
    const auto paced = pacer_.poll(when);
    ASSERT_TRUE(paced);
    ASSERT_EQ(paced->due, when);
    ASSERT_EQ(paced->number, FrameNumber(n));
  }
  EXPECT_EQ(kStart + kNtsc.time_of(kFrames), kStart + 12 * 1001s);
  EXPECT_EQ(pacer_.duplicated() + pacer_.dropped() + pacer_.skipped(), 0);
}

}  // namespace
}  // namespace qvid::media
