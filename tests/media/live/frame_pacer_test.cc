// Shows that the pacer gives a frame when it comes, thins out only what is faster than the rate, and
// tells the encoder's slowness from that. 25 frames a second make a frame 40 ms.
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
  struct Given {
    Timestamp at;
    Timestamp captured;
  };
  // Polls at every event up to `end`, not included, where the encoder is free.
  void run_to(Timestamp end) {
    while (pacer_.waiting()) {
      const Timestamp at = std::max({pacer_.next_event(), busy_until_, now_});
      if (at >= end) break;
      take(at);
    }
    now_ = std::max(now_, end);
  }
  void take(Timestamp at) {
    now_ = at;
    const auto paced = pacer_.poll(at);
    ASSERT_TRUE(paced) << "nothing at next_event";
    EXPECT_EQ(paced->number, FrameNumber(static_cast<std::int64_t>(given_.size())));
    given_.push_back({.at = at, .captured = paced->frame.captured});
    busy_until_ = at + encoding_;
  }
  // A frame comes; what may go before it has gone.
  void offer(Timestamp when) {
    run_to(when);
    pacer_.offer(captured(when), when);
    run_to(when + 1ns);
  }
  void offer_steadily(int count, Duration period, const std::function<Duration()>& jitter = {}) {
    const Timestamp begin = std::max(kStart, now_);
    for (int i = 0; i < count; ++i) offer(begin + i * period + (jitter ? jitter() : Duration()));
    run_to(now_ + 1s);
  }
  Duration worst_wait() const {
    Duration worst{};
    for (const Given& g : given_) worst = std::max(worst, g.at - g.captured);
    return worst;
  }

  FramePacer pacer_{kRate};
  Duration encoding_{};
  Timestamp busy_until_ = kStart;
  Timestamp now_ = kStart;
  std::vector<Given> given_;
};

TEST_F(Pacer, GivesNothingBeforeTheFirstFrame) {
  EXPECT_EQ(pacer_.next_event(), kNever);
  EXPECT_FALSE(pacer_.poll(kStart + 1h));
}

TEST_F(Pacer, AFrameGoesWhenItComes) {
  std::mt19937 random(1);
  offer_steadily(1000, kFrame, [&] { return static_cast<int>(random() % 39) * 1ms; });
  EXPECT_EQ(given_.size(), 1000u);
  EXPECT_EQ(worst_wait(), 0ms);
  EXPECT_EQ(pacer_.dropped() + pacer_.skipped(), 0);
}

TEST_F(Pacer, AClockThatIsALittleFastCostsNothing) {
  offer_steadily(1000, kFrame * 9 / 10);
  EXPECT_EQ(given_.size(), 1000u);
  EXPECT_EQ(worst_wait(), 0ms);
}

TEST_F(Pacer, ASlowSourceIsNotRepeated) {
  offer_steadily(100, 142ms);
  EXPECT_EQ(given_.size(), 100u);
  EXPECT_EQ(worst_wait(), 0ms);
  EXPECT_NEAR(pacer_.slowness(), 3.55, 0.05);
  offer_steadily(200, 10s);
  EXPECT_NEAR(pacer_.slowness(), FramePacer::kSlowest, 0.1) << "and no more";
  offer_steadily(200, kFrame);
  EXPECT_NEAR(pacer_.slowness(), 1, 0.01);
}

TEST_F(Pacer, AFasterSourceIsThinnedOutToTheRate) {
  for (const Duration period : {20ms, 25ms, 30ms, 8ms}) {
    SCOPED_TRACE(to_ms(period));
    pacer_ = FramePacer(kRate);
    given_.clear();
    now_ = busy_until_ = kStart;
    constexpr int kFrames = 2000;
    offer_steadily(kFrames, period);
    const double seconds = to_seconds(kFrames * period);
    EXPECT_NEAR(static_cast<double>(given_.size()), 25 * seconds, 12);  // until it is known
    EXPECT_EQ(pacer_.dropped() + static_cast<std::int64_t>(given_.size()), kFrames);
    EXPECT_EQ(pacer_.skipped(), 0) << "the encoder was not too slow";
    for (std::size_t i = 100; i + 1 < given_.size(); ++i) {
      EXPECT_LE(given_[i].at - given_[i].captured, period);
      EXPECT_GE(given_[i].at - given_[i - 1].at, kFrame / 2 - 1ns);
      EXPECT_LE(given_[i].at - given_[i - 1].at, kFrame * 3 / 2 + 1ns);
    }
    EXPECT_EQ(pacer_.slowness(), 1);
  }
}

TEST_F(Pacer, OfABurstTheEncoderTakesTheFirstAndTheNewest) {
  encoding_ = 5ms;
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < 3; ++j) offer(kStart + i * 3 * kFrame + j * 1us);
  }
  run_to(now_ + 1s);
  EXPECT_EQ(given_.size(), 200u);
  EXPECT_EQ(pacer_.dropped(), 100);
  EXPECT_EQ(pacer_.skipped(), 0);
}

TEST_F(Pacer, AnEncoderThatIsTooSlowSkipsAndIsNotLate) {
  encoding_ = 100ms;
  offer_steadily(1000, kFrame);
  EXPECT_NEAR(static_cast<double>(given_.size()), 400, 2);
  EXPECT_NEAR(static_cast<double>(pacer_.skipped()), 600, 2);
  EXPECT_EQ(pacer_.dropped(), 0);
  EXPECT_LE(worst_wait(), kFrame);
}

TEST_F(Pacer, AtHalfTheRateEveryOtherFrameGoes) {
  offer_steadily(100, kFrame);
  pacer_.set_places_per_frame(2);
  const std::size_t before = given_.size();
  offer_steadily(200, kFrame);
  EXPECT_NEAR(static_cast<double>(given_.size() - before), 100, 10);
  EXPECT_EQ(pacer_.skipped(), 0);
  EXPECT_EQ(pacer_.slowness(), 1);
}

TEST_F(Pacer, HeldBackItGivesNothingAndThenTheNewestAtOnce) {
  offer(kStart);
  pacer_.hold_back(true);
  for (int i = 1; i <= 10; ++i) offer(kStart + i * kFrame);
  EXPECT_EQ(given_.size(), 1u);
  EXPECT_EQ(pacer_.next_event(), kNever);
  pacer_.hold_back(false);
  const Timestamp now = kStart + 10 * kFrame + 5ms;
  EXPECT_LE(pacer_.next_event(), now);
  const auto paced = pacer_.poll(now);
  ASSERT_TRUE(paced);
  EXPECT_EQ(paced->frame.captured, kStart + 10 * kFrame);
  EXPECT_EQ(paced->number, FrameNumber(1));
  EXPECT_EQ(pacer_.held(), 9);
  EXPECT_EQ(pacer_.skipped(), 0);  // the machine is quick enough
}

TEST_F(Pacer, APauseForgetsWhatWaitsAndNumbersGoOn) {
  offer(kStart);
  pacer_.offer(captured(kStart + kFrame), kStart + kFrame);
  pacer_.pause();
  EXPECT_FALSE(pacer_.waiting());
  EXPECT_EQ(pacer_.next_event(), kNever);
  offer(kStart + 10s);
  ASSERT_EQ(given_.size(), 2u);
  EXPECT_EQ(given_[1].captured, kStart + 10s);
  EXPECT_EQ(worst_wait(), 0ms);
}

}  // namespace
}  // namespace qvid::media
