// Shows that what is asked of a running Live-In reaches its encoder, and that Live-In gives way to
// a machine that cannot keep up. The encoder is one that notes what it is told, takes as long as it
// is told, and can be held in the middle of a frame.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "media/live/live_in.h"

namespace qvid::media::live_in_control_test {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);  // of a machine under load
constexpr FrameRate kRate{50, 1};

// What happened to all encoders of one Live-In. Guarded by its mutex.
struct Notes {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<Duration(PictureSize)> takes = [](PictureSize) { return Duration(); };
  bool hold = false;  // the next frame waits inside the encoder
  bool held = false;
  std::vector<EncoderOptions> made;
  std::vector<std::string> told;
  std::vector<CodedFrame> frames;
};

class NotingEncoder final : public Encoder {
 public:
  NotingEncoder(Notes& notes, const EncoderOptions& options) : notes_(notes), options_(options) {
    const std::lock_guard lock(notes_.mutex);
    notes_.made.push_back(options);
  }
  Result<CodedFrame> encode(const VideoFrame& frame, FrameNumber number) override {
    EXPECT_EQ(frame.size, options_.size);
    CodedFrame coded;
    coded.number = number;
    for (std::uint8_t layer = 0; layer < 2; ++layer) {
      CodedUnit unit;
      unit.layer = layer;
      if (sync_.count(layer) == 0) unit.depends_on = {{1, layer}};
      coded.units.push_back(unit);
    }
    sync_.clear();
    std::unique_lock lock(notes_.mutex);
    const Duration takes = notes_.takes(frame.size);
    notes_.held = notes_.hold;
    notes_.changed.notify_all();
    notes_.changed.wait(lock, [&] { return !notes_.hold; });
    notes_.held = false;
    lock.unlock();
    std::this_thread::sleep_for(takes);  // the work of encoding
    return coded;
  }
  void request_sync_point() override { sync_ = {0, 1}; }
  void request_sync_point(std::uint8_t layer) override {
    sync_.insert(layer);
    if (layer < 2) tell("sync " + std::to_string(layer));
  }
  void on_lost(FrameNumber frame, std::uint8_t layer) override {
    tell("lost " + std::to_string(frame.value()) + " " + std::to_string(layer));
  }
  void set_rates(DataRate total, DataRate base) override {
    tell("rates " + std::to_string(total.bps() / 1000) + " " + std::to_string(base.bps() / 1000));
  }
  void set_base_needed(bool needed) override { tell(needed ? "base needed" : "base not needed"); }
  void set_droppable_frames(bool on) override {
    if (std::exchange(droppable_, on) != on) tell(on ? "droppable" : "not droppable");
  }
  void set_gop(int frames) override {
    if (std::exchange(options_.gop, frames) != frames) tell("gop " + std::to_string(frames));
  }

 private:
  void tell(std::string what) {
    const std::lock_guard lock(notes_.mutex);
    notes_.told.push_back(std::move(what));
  }

  Notes& notes_;
  EncoderOptions options_;
  std::set<std::uint8_t> sync_ = {0, 1};
  bool droppable_ = true;
};

class LiveInControl : public ::testing::Test {
 protected:
  LiveInControl() {
    options_.source_options.size = {64, 48};
    options_.source_options.rate = kRate;
    options_.make_encoder = [this](std::string_view codec, const EncoderOptions& options) {
      note([&] { codecs_.emplace_back(codec); });
      return Result<std::unique_ptr<Encoder>>(std::make_unique<NotingEncoder>(notes_, options));
    };
  }
  void start() {
    LiveIn::Callbacks callbacks;
    callbacks.frame = [this](const std::shared_ptr<const WireFrame>& frame) {
      note([&] { notes_.frames.push_back(frame->frame); });
    };
    callbacks.status = [](const SourceStatus&) {};
    callbacks.ended = [this](const std::string&) { note([&] { ended_ = true; }); };
    callbacks.limited = [this](const std::string& text) { note([&] { limits_.push_back(text); }); };
    live_.emplace(options_, callbacks);
  }
  void note(const std::function<void()>& change) {
    const std::lock_guard lock(notes_.mutex);
    change();
    notes_.changed.notify_all();
  }
  ::testing::AssertionResult wait_until(const std::function<bool()>& condition) {
    std::unique_lock lock(notes_.mutex);
    if (notes_.changed.wait_for(lock, kPatience, condition)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "waited in vain";
  }
  // The encode thread is inside the encoder, and stays there until `release`.
  void hold() {
    note([&] { notes_.hold = true; });
    ASSERT_TRUE(wait_until([&] { return notes_.held; }));
    note([&] { notes_.told.clear(); });
  }
  void release() {
    note([&] { notes_.hold = false; });
  }
  void wait_for_more_frames(std::size_t more) {
    std::size_t had = 0;
    note([&] { had = notes_.frames.size(); });
    ASSERT_TRUE(wait_until([&] { return notes_.frames.size() >= had + more; }));
  }
  std::vector<std::size_t> sync_points(std::uint8_t layer) const {
    std::vector<std::size_t> at;
    for (std::size_t n = 0; n < notes_.frames.size(); ++n) {
      if (notes_.frames[n].units[layer].is_sync_point()) at.push_back(n);
    }
    return at;
  }

  LiveInOptions options_;
  Notes notes_;
  std::vector<std::string> limits_;  // guarded by notes_.mutex
  std::vector<std::string> codecs_;  // of encoders made; guarded by notes_.mutex
  bool ended_ = false;               // guarded by notes_.mutex
  std::optional<LiveIn> live_;       // first to go
};

TEST_F(LiveInControl, WhatIsAskedReachesTheEncoderBeforeTheNextFrame) {
  start();
  hold();
  live_->set_rates(DataRate::from_kbps(900), DataRate::from_kbps(100));
  live_->set_rates(DataRate::from_kbps(800), DataRate::from_kbps(200));
  live_->set_base_needed(true);
  live_->set_base_needed(false);
  live_->on_lost(FrameNumber(3), 1);
  live_->on_lost(FrameNumber(5), 0);
  live_->on_lost(FrameNumber(5), 8);  // there is no such layer
  live_->request_sync_point(1);
  live_->request_sync_point(8);
  release();
  wait_for_more_frames(3);
  const std::lock_guard lock(notes_.mutex);
  EXPECT_EQ(notes_.told, (std::vector<std::string>{"rates 800 200", "base not needed", "lost 3 1",
                                                   "lost 5 0", "sync 1"}));
}

TEST_F(LiveInControl, AnotherCodecIsAnotherEncoderWithTheSameWishes) {
  start();
  hold();
  live_->set_rates(DataRate::from_kbps(800), DataRate::from_kbps(200));
  release();
  wait_for_more_frames(2);
  hold();
  live_->set_codec("av1");
  live_->set_codec("av1");
  release();
  wait_for_more_frames(3);
  const std::lock_guard lock(notes_.mutex);
  EXPECT_EQ(codecs_, (std::vector<std::string>{"h264", "av1"}));
  EXPECT_EQ(notes_.told, (std::vector<std::string>{"rates 800 200"}));
  for (std::size_t n = 0; n < notes_.frames.size(); ++n) {
    EXPECT_EQ(notes_.frames[n].number, FrameNumber(static_cast<std::int64_t>(n)));
  }
}

TEST_F(LiveInControl, PicturesAreNoLargerThanTheyAreShown) {
  options_.source_options.size = {256, 192};
  options_.adapt_to_load = false;
  start();
  wait_for_more_frames(1);
  live_->set_rates(DataRate::from_kbps(800), DataRate::from_kbps(200));
  live_->set_lines(96);
  ASSERT_TRUE(wait_until([&] { return notes_.made.size() == 2; }));
  wait_for_more_frames(3);
  live_->set_lines(97);
  ASSERT_TRUE(wait_until([&] { return notes_.made.size() == 3; }));
  wait_for_more_frames(3);
  live_.reset();
  EXPECT_EQ(notes_.made[0].size, (PictureSize{256, 192}));
  EXPECT_EQ(notes_.made[1].size, (PictureSize{128, 96}));
  EXPECT_EQ(notes_.made[2].size, (PictureSize{192, 144}));
  EXPECT_EQ(notes_.told, (std::vector<std::string>(3, "rates 800 200")));
  for (std::size_t n = 0; n < notes_.frames.size(); ++n) {
    EXPECT_EQ(notes_.frames[n].number, FrameNumber(static_cast<std::int64_t>(n)));
  }
}

TEST_F(LiveInControl, FrozenItIsTheSamePictureAtNewTimes) {
  std::vector<VideoFrame> seen;  // guarded by notes_.mutex; their planes stay, so none is used anew
  LiveIn::Callbacks callbacks{
      .frame = [](const auto&) {},
      .status = [](const auto&) {},
      .ended = [](const auto&) {},
      .picture = [&](const VideoFrame& picture) { note([&] { seen.push_back(picture); }); }};
  live_.emplace(options_, callbacks);
  const auto last_are = [&](bool same) {
    const auto n = seen.size();
    if (n < 3) return false;
    return (seen[n - 1].owner == seen[n - 2].owner) == same &&
           (seen[n - 2].owner == seen[n - 3].owner) == same;
  };
  EXPECT_TRUE(wait_until([&] { return last_are(false); }));
  live_->freeze(true);
  EXPECT_TRUE(wait_until([&] { return last_are(true); }));
  note([&] { EXPECT_GT(seen.back().captured, seen[seen.size() - 2].captured); });
  live_->freeze(false);
  EXPECT_TRUE(wait_until([&] { return last_are(false); }));
  live_.reset();
}

TEST_F(LiveInControl, TooManyLossesBecomeASyncPointOfTheLayer) {
  start();
  hold();
  for (int n = 0; n < 300; ++n) live_->on_lost(FrameNumber(n), n < 256 ? 0 : 1);
  release();
  wait_for_more_frames(2);
  const std::lock_guard lock(notes_.mutex);
  ASSERT_EQ(notes_.told.size(), LiveIn::kMaxLosses + 1);
  EXPECT_EQ(notes_.told[255], "lost 255 0");
  EXPECT_EQ(notes_.told[256], "sync 1");
}

TEST_F(LiveInControl, AnotherRequestForASyncPointIsNotForgotten) {
  start();
  wait_for_more_frames(1);
  live_->request_sync_point();
  ASSERT_TRUE(wait_until([&] { return sync_points(0).size() == 2; }));
  live_->request_sync_point(0);
  live_->request_sync_point(0);
  ASSERT_TRUE(wait_until([&] { return sync_points(0).size() == 3; }));
  wait_for_more_frames(30);
  const std::lock_guard lock(notes_.mutex);
  EXPECT_EQ(sync_points(0).size(), 3u);
  EXPECT_EQ(sync_points(1).size(), 2u);
}

TEST_F(LiveInControl, NothingIsEncodedWhileItIsOff) {
  const std::string clip = ::testing::TempDir() + "live_in_control_" + std::to_string(::getpid());
  std::string bytes = "YUV4MPEG2 W64 H48 F50:1 Ip A1:1 C420jpeg\n";
  for (int i = 0; i < 10; ++i) bytes += "FRAME\n" + std::string(64 * 48 * 3 / 2, 'p');
  std::ofstream(clip, std::ios::binary) << bytes;
  options_.source = {SourceSpec::Kind::kFile, clip};
  notes_.hold = true;
  start();
  ASSERT_TRUE(wait_until([&] { return notes_.held; }));
  live_->set_encoding(false);
  release();
  // The source goes on to its end.
  EXPECT_TRUE(wait_until([&] { return ended_; }));
  live_.reset();
  EXPECT_EQ(notes_.frames.size(), 1u);
  std::remove(clip.c_str());
}

TEST_F(LiveInControl, OnAgainItStartsWithASyncPoint) {
  start();
  wait_for_more_frames(5);
  hold();
  live_->set_encoding(true);  // it is
  live_->set_encoding(false);
  live_->set_encoding(true);
  release();
  wait_for_more_frames(5);
  const std::lock_guard lock(notes_.mutex);
  const std::vector<CodedFrame>& frames = notes_.frames;
  ASSERT_EQ(sync_points(0).size(), 2u);
  EXPECT_EQ(sync_points(0), sync_points(1));
  for (std::size_t n = 1; n < frames.size(); ++n) {
    EXPECT_EQ(frames[n].number, frames[n - 1].number.next());
    EXPECT_GT(frames[n].due, frames[n - 1].due);
    EXPECT_GE(frames[n].captured, frames[n - 1].captured);
  }
}

TEST_F(LiveInControl, AnInformedEncoderMakesDroppableFramesOnlyBesideABaseThatIsNeeded) {
  start();
  live_->set_informed(true);
  wait_for_more_frames(3);
  live_->set_base_needed(false);
  wait_for_more_frames(3);
  live_->set_base_needed(true);
  wait_for_more_frames(3);
  live_->set_base_needed(false);
  wait_for_more_frames(3);
  live_->set_informed(false);
  wait_for_more_frames(3);
  live_.reset();
  std::vector<std::string> told;
  for (const std::string& t : notes_.told) {
    if (t.ends_with("droppable")) told.push_back(t);
  }
  EXPECT_EQ(told,
            (std::vector<std::string>{"not droppable", "droppable", "not droppable", "droppable"}));
}

TEST_F(LiveInControl, AnInformedEncoderMakesSynchronisationPointsSeldom) {
  start();
  wait_for_more_frames(2);
  live_->set_informed(true);
  wait_for_more_frames(3);
  live_->set_informed(false);
  wait_for_more_frames(3);
  live_.reset();
  EXPECT_EQ(std::ranges::count(notes_.told, "gop " + std::to_string(kMaxGop)), 1);
  EXPECT_EQ(notes_.told.back(), "gop " + std::to_string(options_.gop));
}

TEST_F(LiveInControl, ASlowEncoderGetsSmallerPictures) {
  // Full pictures take 25 ms of 20, those at three quarters 14.
  notes_.takes = [](PictureSize size) { return size.width * size.height * 8138ns; };
  start();
  live_->set_rates(DataRate::from_kbps(800), DataRate::from_kbps(200));
  live_->set_base_needed(false);
  ASSERT_TRUE(wait_until([&] { return !limits_.empty(); }));
  wait_for_more_frames(5);
  const LiveInStats stats = live_->stats();
  live_.reset();
  EXPECT_EQ(limits_[0].find("48x36 at 50 fps: encoding takes "), 0u) << limits_[0];
  EXPECT_GE(stats.level, 1u);
  EXPECT_LE(stats.size.width, 48);
  ASSERT_GE(notes_.made.size(), 2u);
  EXPECT_EQ(notes_.made[0].size, (PictureSize{64, 48}));
  EXPECT_EQ(notes_.made[1].size, (PictureSize{48, 36}));
  // The new encoder is told what the first was.
  EXPECT_GE(std::ranges::count(notes_.told, "rates 800 200"), 2);
  EXPECT_GE(std::ranges::count(notes_.told, "base not needed"), 2);
  for (std::size_t n = 1; n < notes_.frames.size(); ++n) {
    EXPECT_EQ(notes_.frames[n].number, notes_.frames[n - 1].number.next());
    EXPECT_GT(notes_.frames[n].due, notes_.frames[n - 1].due);
  }
}

TEST_F(LiveInControl, AVerySlowEncoderGetsHalfTheRateAtLast) {
  notes_.takes = [](PictureSize) { return 30ms; };
  start();
  ASSERT_TRUE(wait_until([&] { return limits_.size() == 3; }));
  wait_for_more_frames(8);
  const LiveInStats stats = live_->stats();
  live_.reset();
  EXPECT_EQ(limits_[2].find("32x24 at 25 fps: encoding takes "), 0u) << limits_[2];
  EXPECT_EQ(stats.level, 3u);
  EXPECT_EQ(stats.size, (PictureSize{32, 24}));
  EXPECT_EQ(stats.frames_per_second, 25.0);
  EXPECT_EQ(notes_.made.back().rate.per_second(), 25.0);
  EXPECT_EQ(notes_.made.back().gop, options_.gop / 2);
  // The last ones lie two frame times apart in the mean, or more under load.
  const std::size_t count = notes_.frames.size();
  EXPECT_GE(notes_.frames[count - 1].captured - notes_.frames[count - 7].captured,
            5 * kRate.time_of(2));
}

TEST_F(LiveInControl, WithoutAdaptingTheSizeStays) {
  notes_.takes = [](PictureSize) { return 25ms; };
  options_.adapt_to_load = false;
  start();
  wait_for_more_frames(60);
  live_.reset();
  EXPECT_TRUE(limits_.empty());
  EXPECT_EQ(notes_.made.size(), 1u);
}

}  // namespace
}  // namespace qvid::media::live_in_control_test
