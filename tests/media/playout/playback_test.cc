// Shows that messages become pictures in order on a thread of its own, that what is lost, malformed
// or broken is counted, and that a player goes at once and calls nobody afterwards.
#include "media/playout/playback.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "media/unit/unit_wire.h"

namespace qvid::media::playback_test {
namespace {

constexpr FrameRate kRate{100, 1};
constexpr int kWindow = 1;
constexpr auto kPatience = std::chrono::seconds(30);  // of a machine under load

// Shows every frame whose base came; a unit of data "bad" is an Error.
class FakeDecoder final : public Decoder {
 public:
  explicit FakeDecoder(std::shared_ptr<std::atomic<bool>> alive) : alive_(std::move(alive)) {}
  ~FakeDecoder() override { *alive_ = false; }
  Result<std::optional<DecodedFrame>> decode(const ReceivedFrame& frame) override {
    if (frame.units.front().data.text() == "bad") return Error{"bad data"};
    if (frame.units.front().layer != 0) return std::optional<DecodedFrame>();
    DecodedFrame decoded;
    decoded.number = frame.number;
    decoded.layer = frame.units.back().layer;
    decoded.layers = 2;
    return std::optional(decoded);
  }

 private:
  std::shared_ptr<std::atomic<bool>> alive_;
};

struct Frame {
  std::int64_t number = 0;
  std::vector<std::uint8_t> layers = {0, 1};
  std::vector<UnitDependency> base_depends_on = {};
  std::string_view data = "good";
};

class PlaybackTest : public ::testing::Test {
 protected:
  PlaybackTest() : start_(steady_now()), playback_(make({})) {}
  ~PlaybackTest() override { playback_.reset(); }

  // Fixed: what is shown when depends on no thread.
  std::unique_ptr<Playback> make(PlaybackExtras extras) {
    extras.playout = PlayoutMode::kFixed;
    return std::make_unique<Playback>(
        kRate, kWindow, std::make_unique<FakeDecoder>(alive_),
        [this](const ShownPicture& p) { on_picture(p); }, std::move(extras));
  }

  void on_picture(const ShownPicture& picture) {
    const std::lock_guard lock(mutex_);
    shown_.push_back(picture.decoded.number.value());
    changed_.notify_all();
  }
  // Frames go as they would on a path without delay.
  void send(const Frame& frame, Timestamp due) {
    CodedFrame coded;
    coded.captured = due;
    coded.due = due;
    for (const std::uint8_t layer : frame.layers) {
      CodedUnit unit;
      unit.layer = layer;
      if (layer == 0) unit.depends_on = frame.base_depends_on;
      unit.data = Payload::copy_of(frame.data);
      coded.units.push_back(unit);
    }
    const WireFrame wire = serialise(coded);
    const Timestamp arrival = due + kRate.time_of(kSetupFrames);
    const FrameNumber number(frame.number);
    // Units first: the player waits for headers.
    for (std::size_t i = 0; i < wire.units.size(); ++i) {
      playback_->on_message(unit_position(number, frame.layers[i]), wire.units[i], arrival);
    }
    playback_->on_message(header_position(number), wire.header, arrival);
  }
  Timestamp due(std::int64_t n) const { return start_ + 500ms + kRate.time_of(n); }
  bool wait_until_shown(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return shown_.size() >= count; });
  }
  std::vector<std::int64_t> shown() {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

  const std::shared_ptr<std::atomic<bool>> alive_ = std::make_shared<std::atomic<bool>>(true);
  const Timestamp start_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::int64_t> shown_;
  std::unique_ptr<Playback> playback_;
};

TEST_F(PlaybackTest, PicturesComeInOrderAndNotBeforeTheirTime) {
  for (const std::int64_t n : {0, 2, 1, 4, 3}) send({.number = n}, due(n));
  ASSERT_TRUE(wait_until_shown(5));
  EXPECT_GE(steady_now(), due(4) + kRate.time_of(kSetupFrames + kWindow + kDecodeFrames));
  EXPECT_EQ(shown(), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  const auto stats = playback_->stats();
  EXPECT_EQ(stats.frames_shown, 5);
  EXPECT_EQ(stats.shown_full, 5);
  EXPECT_EQ(stats.frames_lost, 0);
  EXPECT_EQ(stats.units_announced, 10);
  EXPECT_EQ(stats.units_received, 10);
  EXPECT_EQ(stats.bad_messages, 0);
  EXPECT_EQ(stats.delays.count(), 5);
  EXPECT_GE(stats.delay, kRate.time_of(kSetupFrames + kWindow + kDecodeFrames));
}

TEST_F(PlaybackTest, AFrameWithoutBaseIsLostAndCounted) {
  send({.number = 0}, due(0));
  send({.number = 1, .layers = {1}}, due(1));
  send({.number = 2, .base_depends_on = {{1, 0}}}, due(2));  // its base never came
  // Of frame 3 nothing comes.
  send({.number = 4, .layers = {0}}, due(4));
  ASSERT_TRUE(wait_until_shown(2));
  EXPECT_EQ(shown(), (std::vector<std::int64_t>{0, 4}));
  const auto stats = playback_->stats();
  EXPECT_EQ(stats.frames_lost, 3);
  EXPECT_EQ(stats.frames_shown, 2);
  EXPECT_EQ(stats.shown_full, 1);
}

TEST_F(PlaybackTest, ADecodeErrorIsCountedAndEndsAtTheNextSyncPoint) {
  send({.number = 0, .data = "bad"}, due(0));
  send({.number = 1}, due(1));
  ASSERT_TRUE(wait_until_shown(1));
  EXPECT_EQ(shown(), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(playback_->stats().decode_errors, 1);
  EXPECT_EQ(playback_->stats().frames_lost, 1);
}

TEST_F(PlaybackTest, MalformedMessagesAreCountedAndLeft) {
  playback_->on_message(0, Payload(), start_);
  playback_->on_message(3, Payload::copy_of(std::string_view("\x07garbage")), start_);
  playback_->on_message(~std::uint64_t{0}, Payload::copy_of(std::string_view("\0", 1)), start_);
  EXPECT_EQ(playback_->stats().bad_messages, 3);
  EXPECT_EQ(playback_->stats().bytes_received, 9);
  send({.number = 0}, due(0));
  EXPECT_TRUE(wait_until_shown(1));
}

TEST_F(PlaybackTest, FramesThatComeTooLateAreLost) {
  send({.number = 0}, due(0));
  ASSERT_TRUE(wait_until_shown(1));
  send({.number = 1}, due(0) - 10s);  // its time is long past
  send({.number = 2}, due(40));
  ASSERT_TRUE(wait_until_shown(2));
  EXPECT_EQ(shown(), (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(playback_->stats().frames_lost, 1);
}

TEST_F(PlaybackTest, IsGoneAtOnceWhileItWaits) {
  for (const bool with_frame : {false, true}) {
    if (!playback_) {
      playback_ = make({});
    }
    if (with_frame) send({.number = 0}, steady_now() + 1h);
    playback_.reset();
    EXPECT_FALSE(*alive_);
    EXPECT_EQ(shown().size(), 0u);
  }
  EXPECT_LT(steady_now() - start_, kPatience);
}

TEST_F(PlaybackTest, NoCallbackComesAfterTheDestructor) {
  // Pictures are on their way at any moment.
  for (std::int64_t n = 0; n < 50; ++n) send({.number = n}, start_ + kRate.time_of(n) / 4);
  ASSERT_TRUE(wait_until_shown(1));
  playback_.reset();
  const auto before = shown();
  EXPECT_FALSE(*alive_);
  EXPECT_TRUE(std::ranges::is_sorted(before));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(shown_, before);
}

TEST_F(PlaybackTest, TellsOfEveryFrameWithoutALock) {
  std::vector<FrameRecord> records;  // of the decode thread until it is joined
  Playback* playing = nullptr;       // playback_ is empty while it is destroyed
  PlaybackExtras extras;
  extras.on_frame_record = [&](const FrameRecord& record) {
    (void)playing->stats();
    records.push_back(record);
  };
  playback_ = make(std::move(extras));
  playing = playback_.get();
  send({.number = 0}, due(0));
  send({.number = 1, .layers = {1}}, due(1));
  send({.number = 2}, due(2));
  send({.number = 3}, due(3));
  ASSERT_TRUE(wait_until_shown(3));
  playback_.reset();
  ASSERT_GE(records.size(), 3u);  // the last one's may not have been told
  const auto lost = std::ranges::count_if(records, [](auto& r) { return !r.layer; });
  EXPECT_EQ(lost, 1);
}

// Sound is heard 300 ms after capture: so is the picture seen, which needs 40 ms.
TEST_F(PlaybackTest, FollowsTheSoundOfItsClock) {
  const auto clock = std::make_shared<PresentationClock>();
  PlaybackExtras extras;
  extras.presentation = clock;
  playback_ = make(std::move(extras));
  // Long enough to lead all the while.
  clock->on_sound(start_ + 1h - 300ms, start_ + 1h);
  for (std::int64_t n = 0; n < 5; ++n) send({.number = n}, due(n));
  ASSERT_TRUE(clock->picture_needs(due(4)));
  EXPECT_NEAR(
      to_ms(*clock->picture_needs(due(4))),
      to_ms(kRate.time_of(kSetupFrames + kWindow + kDecodeFrames) - PlayoutClock::kLipSlack), 0.01);
  ASSERT_TRUE(wait_until_shown(5));
  EXPECT_GE(steady_now(), due(4) + 300ms - PlayoutClock::kLipSlack);
  ASSERT_TRUE(playback_->stats().sync_error);
  EXPECT_GE(*playback_->stats().sync_error, -PlayoutClock::kLipSlack);
  playback_.reset();
  EXPECT_FALSE(clock->picture_needs(due(4)));
  EXPECT_FALSE(clock->sync_error());
}

TEST_F(PlaybackTest, StatsMayBeReadWhileItPlays) {
  playback_->set_least_round_trip(10ms);
  for (std::int64_t n = 0; n < 20; ++n) {
    send({.number = n}, due(n));
    (void)playback_->stats();
  }
  ASSERT_TRUE(wait_until_shown(20));
  EXPECT_EQ(playback_->stats().frames_shown, 20);
}

}  // namespace
}  // namespace qvid::media::playback_test
