// Shows when time runs, what is shown after a seek, what is skipped and what is waited for. With a
// sender and a link: priority_progress_test.cc.
#include "media/stored/stored_playout.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "media/unit/unit_wire.h"

namespace qvid::media::stored_playout_test {
namespace {

using State = StoredPlayout::State;
constexpr FrameRate kRate{10, 1};
constexpr Timestamp kNow{Duration(1000s)};

class StoredPlayoutTest : public ::testing::Test {
 protected:
  StoredPlayoutTest() : playout_(kRate, kNow) { playout_.begin(0s, kNow); }

  // Frame `number` of the seek epoch, all independent of each other; its place is `first` later.
  void header(std::int64_t number, Timestamp at, Duration first = {}) {
    playout_.on_message(FrameHeaderMessage{.number = FrameNumber(number),
                                           .captured = {},
                                           .due = Timestamp(first + kRate.time_of(number)),
                                           .units = 2,
                                           .codec_header = {}},
                        at);
  }
  void unit(std::int64_t number, std::uint8_t layer, Timestamp at) {
    CodedUnit unit;
    unit.layer = layer;
    unit.data = PayloadBuilder(10).take();
    playout_.on_message(UnitMessage{FrameNumber(number), std::move(unit)}, at);
  }
  void base(std::int64_t from, std::int64_t to, Timestamp at, Duration first = {}) {
    for (std::int64_t n = from; n < to; ++n) {
      header(n, at, first);
      unit(n, 0, at);
    }
  }
  // Frames that were to be shown, with their layers, up to `at`.
  std::vector<std::pair<std::int64_t, std::size_t>> tasks(Timestamp at) {
    std::vector<std::pair<std::int64_t, std::size_t>> all;
    while (auto task = playout_.next_task(at)) {
      all.emplace_back(task->number.value(),
                       task->frames.empty() ? 0 : task->frames.back().units.size());
      lost_ += task->lost;
    }
    return all;
  }
  using Tasks = std::vector<std::pair<std::int64_t, std::size_t>>;

  StoredPlayout playout_;
  int lost_ = 0;
};

TEST_F(StoredPlayoutTest, FirstPictureAtOnceAndTimeWithAReserve) {
  base(0, 1, kNow);
  EXPECT_EQ(tasks(kNow), (Tasks{{0, 1}}));
  EXPECT_EQ(playout_.show_time(0s), kNow);
  EXPECT_FALSE(playout_.runs());
  base(1, 3, kNow + 50ms);
  EXPECT_FALSE(playout_.runs());
  base(3, 4, kNow + 100ms);
  EXPECT_TRUE(playout_.runs());
  EXPECT_EQ(playout_.buffered(kNow + 100ms), 400ms);
  EXPECT_EQ(playout_.show_time(100ms), kNow + 200ms);
  EXPECT_EQ(tasks(kNow + 139ms), Tasks{});
  EXPECT_EQ(tasks(kNow + 140ms), (Tasks{{1, 1}}));
}

TEST_F(StoredPlayoutTest, LaterDetailMakesAStandingPictureBetter) {
  base(0, 1, kNow);
  EXPECT_EQ(tasks(kNow), (Tasks{{0, 1}}));
  unit(0, 1, kNow + 10ms);
  EXPECT_EQ(tasks(kNow + 10ms), (Tasks{{0, 1}}));
  EXPECT_EQ(tasks(kNow + 20ms), Tasks{});
}

TEST_F(StoredPlayoutTest, SkipsABaseThatWasGivenUpAndWaitsForOneThatWasNot) {
  base(0, 2, kNow);
  base(3, 5, kNow);
  ASSERT_TRUE(playout_.runs());
  EXPECT_EQ(playout_.buffered(kNow), 200ms);
  Tasks all;
  for (Duration at = 0ms; at <= 440ms; at += 20ms) {
    for (const auto& task : tasks(kNow + at)) all.push_back(task);
  }
  EXPECT_EQ(all, (Tasks{{0, 1}, {1, 1}, {3, 1}, {4, 1}}));
  EXPECT_EQ(lost_, 1);
  EXPECT_EQ(playout_.state(), State::kRunning);
  tasks(kNow + 500ms);
  EXPECT_EQ(playout_.state(), State::kStalled);
  EXPECT_EQ(playout_.place(kNow + 10s), 500ms);
  base(5, 14, kNow + 2s);
  EXPECT_EQ(playout_.state(), State::kStalled);
  base(14, 15, kNow + 2500ms);
  EXPECT_TRUE(playout_.runs());
  EXPECT_EQ(playout_.show_time(500ms), kNow + 2500ms);
  EXPECT_EQ(playout_.measures().summary(kNow + 3s).stalls, 1);
}

TEST_F(StoredPlayoutTest, WhereBaseComesSlowlyTheReserveIsCareful) {
  for (std::int64_t n = 0; n < 19; ++n) base(n, n + 1, kNow + n * 80ms);
  EXPECT_FALSE(playout_.runs());
  EXPECT_EQ(tasks(kNow + 1500ms), (Tasks{{0, 1}}));
  base(19, 20, kNow + 1520ms);
  EXPECT_TRUE(playout_.runs());
  for (int ms = 1520; ms <= 3600; ms += 20) tasks(kNow + ms * 1ms);
  EXPECT_EQ(playout_.state(), State::kStalled);
  for (std::int64_t n = 20; n < 39; ++n) base(n, n + 1, kNow + 10s + n * 80ms);
  EXPECT_EQ(playout_.state(), State::kStalled);
  base(39, 40, kNow + 10s + 39 * 80ms);
  EXPECT_TRUE(playout_.runs());
}

TEST_F(StoredPlayoutTest, PlacesPassAtTheSpeedThatIsAskedFor) {
  playout_.set_speed(2, kNow);
  base(0, 7, kNow);
  EXPECT_FALSE(playout_.runs()) << "700 ms last 350";
  base(7, 8, kNow);
  ASSERT_TRUE(playout_.runs());
  EXPECT_EQ(playout_.show_time(400ms), kNow + 200ms);
  EXPECT_EQ(playout_.place(kNow + 100ms), 200ms);
  playout_.set_speed(0.5, kNow + 100ms);
  EXPECT_EQ(playout_.place(kNow + 100ms), 200ms) << "it goes on where it is";
  EXPECT_EQ(playout_.place(kNow + 300ms), 300ms);
  EXPECT_EQ(playout_.show_time(400ms), kNow + 500ms);
  playout_.seek(5s, kNow + 1s);
  playout_.begin(5s, kNow + 1s);
  EXPECT_EQ(playout_.speed(), 0.5);
}

TEST_F(StoredPlayoutTest, AnotherSpeedWhilePausedMovesNothing) {
  base(0, 8, kNow);
  playout_.pause(kNow + 100ms);
  playout_.set_speed(2, kNow + 200ms);
  EXPECT_EQ(playout_.place(kNow + 10s), 100ms);
  playout_.play(kNow + 10s);
  EXPECT_EQ(playout_.place(kNow + 10s + 100ms), 300ms);
}

TEST_F(StoredPlayoutTest, PauseHoldsAndASeekShowsItsPictureAllTheSame) {
  base(0, 20, kNow);
  playout_.pause(kNow + 100ms);
  EXPECT_EQ(playout_.show_time(200ms), kNever);
  playout_.seek(60s, kNow + 1s);
  EXPECT_EQ(tasks(kNow + 1s), Tasks{});
  EXPECT_EQ(playout_.place(kNow + 2s), 60s);
  base(20, 30, kNow + 1s);  // of before: nobody wants it
  playout_.begin(60s, kNow + 2s);
  base(0, 6, kNow + 2s, 59500ms);
  // Frames before the place are for the decoder only.
  EXPECT_EQ(tasks(kNow + 2s), (Tasks{{5, 1}}));
  EXPECT_EQ(playout_.show_time(60s), kNow + 2s);
  base(6, 20, kNow + 2s, 59500ms);
  EXPECT_FALSE(playout_.runs());
  playout_.play(kNow + 5s);
  EXPECT_TRUE(playout_.runs());
  EXPECT_EQ(playout_.place(kNow + 6s), 61s);
}

TEST_F(StoredPlayoutTest, AShortFileRunsAndEnds) {
  base(0, 2, kNow);
  tasks(kNow);
  EXPECT_FALSE(playout_.runs());
  playout_.on_end(kNow + 100ms);
  EXPECT_TRUE(playout_.runs());
  tasks(kNow + 250ms);
  EXPECT_EQ(playout_.state(), State::kRunning);
  tasks(kNow + 300ms);
  EXPECT_EQ(playout_.state(), State::kFinished);
}

TEST_F(StoredPlayoutTest, BeyondTheEndIsTheLastPicture) {
  playout_.begin(1h, kNow);
  base(0, 3, kNow);
  EXPECT_EQ(tasks(kNow), Tasks{});
  playout_.on_end(kNow);
  EXPECT_EQ(tasks(kNow), (Tasks{{2, 1}}));
}

TEST_F(StoredPlayoutTest, AStretchOfNothingEnds) {
  playout_.on_end(kNow);
  EXPECT_EQ(playout_.state(), State::kFinished);
}

TEST(PlaceToSee, IsTheOneAskedForIfItIsNearTheBeginning) {
  EXPECT_EQ(place_to_see(10s, 9500ms, 60s, kRate), 10s);
  EXPECT_EQ(place_to_see(10s, 10033ms, 60s, kRate), 10033ms);
  EXPECT_EQ(place_to_see(70s, 59s, 60s, kRate), 59900ms);
  EXPECT_EQ(place_to_see(70s, 20s, 0s, kRate), 20s);
}

}  // namespace
}  // namespace qvid::media::stored_playout_test
