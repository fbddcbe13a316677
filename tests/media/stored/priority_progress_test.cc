// Shows the window's growth and the rules of dropping, and with the player at the other end of a
// link what a viewer gets of them.
#include "media/stored/priority_progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/media/stored_viewing.h"

namespace qvid::media {
namespace {

using Part = PriorityProgress::Part;

std::function<DataRate(Duration)> steady(DataRate rate) {
  return [rate](Duration) { return rate; };
}

// The sender alone: what it sends ends when the test says so.
class PriorityProgressTest : public ::testing::Test {
 protected:
  explicit PriorityProgressTest(Duration to = {}) : sender_(video_.rate, to) {}

  void read(std::int64_t from, std::int64_t count) {
    for (std::int64_t n = from; n < from + count; ++n) sender_.on_frame(video_.frame(n, 0));
  }
  PriorityProgress::Decisions poll(Duration at) {
    auto decisions = sender_.poll(Timestamp(1000s) + at);
    for (const auto& send : decisions.sends) sent_.insert(send.part);
    return decisions;
  }
  void deliver_all(std::int64_t layer) {
    for (const Part& part : sent_) {
      if (!part.unit || *part.unit == layer) sender_.on_part_ended(part, true);
    }
  }
  void report(Duration at, Duration when, bool running = true) {
    sender_.on_position(at, running ? 1 : 0, {}, Timestamp(1000s) + when);
  }

  StoredVideo video_;
  PriorityProgress sender_;
  std::set<Part> sent_;
};

TEST_F(PriorityProgressTest, TellsHowFarTheBaseIsThere) {
  EXPECT_EQ(sender_.base_until(), 0s);
  read(0, 3);
  poll(0s);
  EXPECT_EQ(sender_.base_until(), 0s);
  deliver_all(1);
  poll(0s);
  EXPECT_EQ(sender_.base_until(), 0s);
  deliver_all(0);
  poll(0s);
  EXPECT_NEAR(to_ms(sender_.base_until()), 100, 0.001);
  read(3, 1);
  poll(0s);
  EXPECT_EQ(sender_.base_until(), video_.rate.time_of(3));
}

TEST_F(PriorityProgressTest, BaseGoesBeforeEnhancementAndHeadersBeforeTheirBase) {
  read(0, 3);
  auto sends = poll(0s).sends;
  ASSERT_EQ(sends.size(), 9u);
  std::sort(sends.begin(), sends.end(), [](const auto& a, const auto& b) {
    return std::pair(-a.importance, a.position) < std::pair(-b.importance, b.position);
  });
  std::vector<std::pair<std::int64_t, int>> order;
  for (const auto& s : sends) order.emplace_back(s.part.number.value(), s.part.unit.value_or(9));
  EXPECT_EQ(order, (std::vector<std::pair<std::int64_t, int>>{
                       {0, 9}, {0, 0}, {1, 9}, {1, 0}, {2, 9}, {2, 0}, {0, 1}, {1, 1}, {2, 1}}));
}

TEST_F(PriorityProgressTest, WindowGrowsOnlyAsFarAsBaseIsAhead) {
  EXPECT_EQ(sender_.read_until(), PriorityProgress::kFirstWindow);
  read(0, 91);
  poll(0s);
  poll(1s);
  EXPECT_EQ(sender_.window(), PriorityProgress::kFirstWindow);  // nothing is there yet
  deliver_all(0);
  poll(2s);
  const double first = to_seconds(PriorityProgress::kFirstWindow);
  EXPECT_NEAR(to_seconds(sender_.window()), first * PriorityProgress::kCautiousGrowth, 1e-6);
  deliver_all(1);
  poll(3s);
  EXPECT_NEAR(to_seconds(sender_.window()),
              first * PriorityProgress::kCautiousGrowth * PriorityProgress::kGrowth, 1e-6);
  // What was read ends before half of the window is over.
  for (int i = 4; i < 100; ++i) poll(i * 1s);
  EXPECT_LE(to_seconds(sender_.window()),
            2 * PriorityProgress::kGrowth * to_seconds(video_.rate.time_of(90)));
}

TEST_F(PriorityProgressTest, WhoWantsTheBaseAloneIsSentNoOtherLayer) {
  read(0, 91);
  sender_.set_layers(1);
  for (const auto& send : poll(0s).sends) EXPECT_EQ(send.part.unit.value_or(0), 0);
  deliver_all(0);
  poll(1s);
  EXPECT_NEAR(to_seconds(sender_.window()),
              to_seconds(PriorityProgress::kFirstWindow) * PriorityProgress::kGrowth, 1e-6)
      << "nothing is missing";
  // Again: of what comes from now on, where nothing needs what was left out.
  sender_.set_layers(2);
  read(91, 90);
  const auto sends = poll(2s).sends;
  EXPECT_TRUE(std::ranges::any_of(sends, [](const auto& send) { return send.part.unit == 1; }));
}

TEST_F(PriorityProgressTest, WhatIsOnItsWayIsCancelledForWhoWantsTheBaseAlone) {
  read(0, 30);
  poll(0s);
  sender_.set_layers(1);
  const auto cancels = poll(100ms).cancels;
  EXPECT_EQ(cancels.size(), 30u);
  for (const Part& part : cancels) EXPECT_EQ(part.unit, 1);
}

TEST_F(PriorityProgressTest, AFasterPlayerPassesMore) {
  constexpr Timestamp kNow{Duration(1000s)};
  // The last enhancement that is given up half a second later.
  const auto given_up = [&](double speed) {
    PriorityProgress sender(video_.rate, {});
    for (std::int64_t n = 0; n < 150; ++n) sender.on_frame(video_.frame(n, 0));
    sender.poll(kNow);
    for (std::int64_t n = 0; n < 150; ++n) sender.on_part_ended({FrameNumber(n), 0}, true);
    sender.on_position(0s, speed, {}, kNow);
    FrameNumber last(-1);
    for (const Part& part : sender.poll(kNow + 1s).cancels) last = std::max(last, part.number);
    return last;
  };
  EXPECT_EQ(given_up(0), FrameNumber(-1)) << "time stands still";
  EXPECT_GT(given_up(1), FrameNumber(30));
  EXPECT_GE(given_up(2).value(), given_up(1).value() + 30);
}

TEST_F(PriorityProgressTest, EnhancementThatPlayingPassesGoesAndBaseStays) {
  read(0, 60);
  poll(0s);
  for (std::int64_t n = 0; n < 10; ++n) sender_.on_part_ended({FrameNumber(n), 0}, true);
  report(0s, 0s);
  const auto cancels = poll(400ms).cancels;
  ASSERT_FALSE(cancels.empty());
  for (const Part& part : cancels) {
    EXPECT_EQ(part.unit, 1);
    EXPECT_LT(part.number, FrameNumber(10));
  }
  // Base of frame 10 is waited for: the estimate of where the player is does not go past it.
  EXPECT_TRUE(poll(60s).cancels.empty());
  report(1500ms, 61s);  // it went on without: what no frame still needs goes
  std::set<Part> gone;
  for (const Part& part : poll(61s).cancels) gone.insert(part);
  EXPECT_TRUE(gone.contains({FrameNumber(11), 0}));
  EXPECT_FALSE(gone.contains({FrameNumber(12), 0}));  // the group depends on it
}

TEST_F(PriorityProgressTest, NothingIsSentWhoseDependencyIsGone) {
  read(0, 120);
  poll(0s);
  deliver_all(0);
  report(0s, 0s);
  std::set<Part> gone;
  for (int ms = 0; ms <= 1500; ms += 100) {
    for (const Part& part : poll(ms * 1ms).cancels) {
      EXPECT_TRUE(gone.insert(part).second) << "cancelled twice";
      sender_.on_part_ended(part, false);
    }
  }
  // Frame 0 of the second layer was too late; its group ends with frame 29.
  for (std::int64_t n = 0; n < 30; ++n) EXPECT_TRUE(gone.contains({FrameNumber(n), 1})) << n;
  EXPECT_FALSE(gone.contains({FrameNumber(119), 1}));
}

class SeekToTheMiddle : public PriorityProgressTest {
 protected:
  SeekToTheMiddle() : PriorityProgressTest(1s) {}
};

TEST_F(SeekToTheMiddle, SendsOfWhatLiesBeforeOnlyWhatIsNeeded) {
  read(0, 40);
  poll(0s);
  std::vector<std::int64_t> base;
  for (const Part& part : sent_) {
    if (part.unit == 0) base.push_back(part.number.value());
  }
  ASSERT_GT(base.size(), 10u);
  EXPECT_EQ(std::vector<std::int64_t>(base.begin(), base.begin() + 10),
            (std::vector<std::int64_t>{0, 4, 8, 12, 16, 20, 24, 28, 30, 31}));
}

TEST_F(PriorityProgressTest, IsBoundedInBytesAndFrames) {
  video_.enhancement = DataRate::from_kbps(80'000);
  std::int64_t n = 0;
  while (video_.rate.time_of(n) <= sender_.read_until() && n < 100'000) read(n++, 1);
  for (int i = 0; i < 1000; ++i) {
    poll(i * 1s);
    deliver_all(0);
    while (video_.rate.time_of(n) <= sender_.read_until() && n < 100'000) read(n++, 1);
  }
  EXPECT_LE(sender_.queued(), PriorityProgress::kMaxQueued + ByteCount(1'000'000));
  EXPECT_LE(sender_.remembered(), PriorityProgress::kMaxFrames + 1);
  EXPECT_LT(n, 2000);
}

TEST_F(PriorityProgressTest, IsCompleteWhenAllOfTheBaseIsThere) {
  read(0, 10);
  sender_.on_end();
  poll(0s);
  EXPECT_FALSE(sender_.complete());
  deliver_all(0);
  poll(100ms);
  EXPECT_TRUE(sender_.complete());
}

TEST(PriorityProgressLink, NoReBufferingALittleAboveTheBase) {
  StoredVideo video;
  StoredViewing viewing(video, steady(DataRate::from_kbps(600)));
  viewing.run_for(10min);
  const auto summary = viewing.player().measures().summary(viewing.now());
  EXPECT_EQ(summary.stalls, 0);
  EXPECT_EQ(summary.lost, 0);
  EXPECT_LT(*summary.first_picture, 200ms);
  EXPECT_LT(*summary.start_up, 2s);  // the careful reserve
  EXPECT_GT(to_seconds(summary.played), 598);
  EXPECT_GT(to_seconds(viewing.sender().window()), 10);
}

// A busy scene every ten seconds wants one and a half times the mean for three of them.
TEST(PriorityProgressLink, NoReBufferingALittleAboveABaseThatVaries) {
  StoredVideo video;
  video.busy = 1.5;
  StoredViewing viewing(video, steady(DataRate::from_kbps(580)));
  viewing.run_for(5min);
  const auto summary = viewing.player().measures().summary(viewing.now());
  EXPECT_EQ(summary.stalls, 0);
  EXPECT_EQ(summary.lost, 0);
}

TEST(PriorityProgressLink, AWideLinkGivesAllOfItSoonAndThirtySecondsAhead) {
  StoredVideo video;
  StoredViewing viewing(video, steady(DataRate::from_kbps(6000)));
  viewing.run_for(60s);
  const auto summary = viewing.player().measures().summary(viewing.now());
  EXPECT_LT(*summary.first_picture, 120ms);
  EXPECT_LT(*summary.start_up, 250ms);
  EXPECT_GT(summary.share[2], 0.98);
  EXPECT_EQ(summary.stalls, 0);
  EXPECT_GT(to_seconds(viewing.player().buffered(viewing.now())), 29);
  EXPECT_LE(to_seconds(viewing.player().buffered(viewing.now())), 31);
}

TEST(PriorityProgressLink, QualityFallsSlowlyAndReturns) {
  StoredVideo video;
  const auto link = [](Duration at) {
    return DataRate::from_kbps(at > 60s && at < 120s ? 600 : 4000);
  };
  StoredViewing viewing(video, link);
  viewing.run_for(4min);
  const auto& measures = viewing.player().measures();
  const auto summary = measures.summary(viewing.now());
  EXPECT_EQ(summary.stalls, 0);
  EXPECT_EQ(summary.lost, 0);
  const auto& levels = measures.levels();
  ASSERT_GT(levels.size(), 230u);
  // What lay ahead carries it for most of the window; then one step down, and up again after.
  EXPECT_EQ(levels[75], 2.0f);
  EXPECT_LT(std::accumulate(levels.begin() + 95, levels.begin() + 119, 0.0f), 24 * 1.3f);
  EXPECT_EQ(levels[150], 2.0f);
  EXPECT_EQ(levels[230], 2.0f);
  EXPECT_LT(summary.switches, 20);
}

TEST(PriorityProgressLink, BetweenBaseAndAllQualityChangesEverySomeSeconds) {
  StoredVideo video;
  StoredViewing viewing(video, steady(DataRate::from_kbps(1400)));
  viewing.run_for(5min);
  const auto summary = viewing.player().measures().summary(viewing.now());
  EXPECT_EQ(summary.stalls, 0);
  EXPECT_GT(summary.share[2], 0.4);
  EXPECT_LT(summary.share[2], 0.65);
  EXPECT_LT(summary.switches, 60);
}

TEST(PriorityProgressLink, ASeekIsAnsweredWithinTwoRoundTrips) {
  StoredVideo video;
  StoredViewing viewing(video, steady(DataRate::from_kbps(2200)));
  viewing.run_for(60s);
  viewing.seek(5min);
  viewing.run_for(5s);
  viewing.seek(10min + 700ms, 700ms);
  viewing.run_for(5s);
  const auto summary = viewing.player().measures().summary(viewing.now());
  ASSERT_EQ(summary.seek_responses.size(), 2u);
  EXPECT_LE(summary.seek_responses[0], 4 * StoredViewing::kOneWay);
  EXPECT_LE(summary.seek_responses[1], 4 * StoredViewing::kOneWay + 60ms);  // with what it needs
  EXPECT_EQ(summary.stalls, 0);
  EXPECT_EQ(viewing.player().state(), StoredPlayout::State::kRunning);
  EXPECT_GT(viewing.player().place(viewing.now()), 10min + 4s);
}

TEST(PriorityProgressLink, PauseHoldsAndWhatLiesAheadIsBounded) {
  StoredVideo video;
  StoredViewing viewing(video, steady(DataRate::from_kbps(8000)));
  viewing.run_for(10s);
  viewing.player().pause(viewing.now());
  const Duration place = viewing.player().place(viewing.now());
  const std::size_t shown = viewing.shown().size();
  viewing.run_for(2min);
  EXPECT_EQ(viewing.player().place(viewing.now()), place);
  EXPECT_LE(viewing.shown().size(), shown + 1);
  EXPECT_LE(viewing.player().buffered(viewing.now()), PriorityProgress::kLongestWindow + 1s);
  EXPECT_LE(viewing.player().bytes(), StoredPlayout::kMaxBytes);
  const ByteCount sent = viewing.sent();
  viewing.run_for(10s);
  EXPECT_EQ(viewing.sent(), sent);
  viewing.player().play(viewing.now());
  viewing.run_for(10s);
  EXPECT_NEAR(to_seconds(viewing.player().place(viewing.now()) - place), 10, 0.1);
  EXPECT_EQ(viewing.player().measures().summary(viewing.now()).stalls, 0);
}

TEST(PriorityProgressLink, AnOutageStopsTimeAndAReserveStartsItAgain) {
  StoredVideo video;
  const auto link = [](Duration at) {
    return DataRate::from_kbps(at > 60s && at < 120s ? 0 : 4000);
  };
  StoredViewing viewing(video, link);
  viewing.run_for(119s);
  EXPECT_EQ(viewing.player().state(), StoredPlayout::State::kStalled);
  viewing.run_for(61s);
  const auto summary = viewing.player().measures().summary(viewing.now());
  EXPECT_EQ(summary.stalls, 1);
  EXPECT_EQ(summary.lost, 0);
  EXPECT_NEAR(to_seconds(summary.stalled), 30, 2);
  EXPECT_NEAR(to_seconds(summary.played + summary.stalled), 180, 1);
}

TEST(PriorityProgressLink, AFileEndsWithItsLastPicture) {
  StoredVideo video;
  video.frames = 95;
  StoredViewing viewing(video, steady(DataRate::from_kbps(4000)));
  viewing.run_for(4s);
  EXPECT_EQ(viewing.player().state(), StoredPlayout::State::kFinished);
  EXPECT_EQ(viewing.shown().size(), 95u);
  viewing.seek(1s, 1s);  // and goes on after a seek
  viewing.run_for(500ms);
  EXPECT_EQ(viewing.shown()[95].first, 1s);
  EXPECT_EQ(viewing.player().state(), StoredPlayout::State::kRunning);
}

}  // namespace
}  // namespace qvid::media
