// Shows that one source becomes coded frames at an even rate, that its end is told once and last,
// and that nothing keeps it from stopping.
#include "media/live/live_in.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "tests/temporary_folder.h"

namespace qvid::media::live_in_test {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);  // of a machine under load

class LiveInTest : public ::testing::Test {
 protected:
  static LiveInOptions test_scene(FrameRate rate = {50, 1}) {
    LiveInOptions options;
    options.source_options.size = {64, 48};
    options.source_options.rate = rate;
    return options;
  }
  LiveInOptions file(const std::string& name) const {
    LiveInOptions options = test_scene();
    options.source = {SourceSpec::Kind::kFile, folder_ / name};
    return options;
  }
  void write_clip(const std::string& name, int frames) const {
    std::string bytes = "YUV4MPEG2 W64 H48 F50:1 Ip A1:1 C420jpeg\n";
    for (int i = 0; i < frames; ++i) bytes += "FRAME\n" + std::string(64 * 48 * 3 / 2, 'p');
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  void start(LiveInOptions options) {
    live_ = std::make_unique<LiveIn>(
        std::move(options), LiveIn::Callbacks{.frame =
                                                  [this](std::shared_ptr<const WireFrame> frame) {
                                                    const std::lock_guard lock(mutex_);
                                                    if (!reasons_.empty()) ++after_end_;
                                                    frames_.push_back(std::move(frame));
                                                    changed_.notify_all();
                                                  },
                                              .status =
                                                  [this](const SourceStatus& status) {
                                                    const std::lock_guard lock(mutex_);
                                                    if (!reasons_.empty()) ++after_end_;
                                                    statuses_.push_back(status);
                                                  },
                                              .ended =
                                                  [this](const std::string& reason) {
                                                    const std::lock_guard lock(mutex_);
                                                    reasons_.push_back(reason);
                                                    changed_.notify_all();
                                                  }});
  }
  bool wait_for_frames(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return frames_.size() >= count; });
  }
  bool wait_for_end() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return !reasons_.empty(); });
  }
  // To be called after the end: once, and nothing after it.
  void expect_ended(const std::string& part_of_reason) {
    ASSERT_TRUE(wait_for_end());
    live_.reset();
    ASSERT_EQ(reasons_.size(), 1u);
    EXPECT_NE(reasons_[0].find(part_of_reason), std::string::npos) << reasons_[0];
    EXPECT_EQ(after_end_, 0);
  }

  const TemporaryFolder folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<const WireFrame>> frames_;
  std::vector<SourceStatus> statuses_;
  std::vector<std::string> reasons_;
  int after_end_ = 0;
  std::unique_ptr<LiveIn> live_;
};

TEST_F(LiveInTest, FramesComeWithRisingNumbersWhenTheyAreEncoded) {
  const FrameRate rate{50, 1};
  start(test_scene(rate));
  ASSERT_TRUE(wait_for_frames(20));
  live_->request_stop();
  expect_ended("stopped");
  const CodedFrame& first = frames_.front()->frame;
  for (const CodedUnit& unit : first.units) EXPECT_TRUE(unit.is_sync_point());
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const CodedFrame& frame = frames_[i]->frame;
    EXPECT_EQ(frame.number, FrameNumber(static_cast<std::int64_t>(i)));
    // It left a frame time after it was due, and after its capture.
    EXPECT_GE(frame.due + rate.frame_time(), frame.captured);
    EXPECT_TRUE(i == 0 || frame.due > frames_[i - 1]->frame.due);
    EXPECT_EQ(frames_[i]->units.size(), frame.units.size());
    EXPECT_LE(frame.captured, steady_now());
  }
  ASSERT_EQ(statuses_.size(), 1u);
  EXPECT_TRUE(statuses_[0].ok);
  EXPECT_NE(statuses_[0].text.find("test scene, 64x48"), std::string::npos);
}

TEST_F(LiveInTest, CountsWhatItDid) {
  start(test_scene());
  ASSERT_TRUE(wait_for_frames(5));
  live_->request_stop();
  ASSERT_TRUE(wait_for_end());
  const LiveInStats stats = live_->stats();
  EXPECT_EQ(stats.frames_encoded, static_cast<std::int64_t>(frames_.size()));
  EXPECT_GT(stats.bytes_encoded, 0);
  EXPECT_GT(stats.encode_ms, 0.0);
}

TEST_F(LiveInTest, ARequestForASyncPointIsHonoured) {
  start(test_scene());
  ASSERT_TRUE(wait_for_frames(5));
  std::size_t asked = 0;
  {
    const std::lock_guard lock(mutex_);
    asked = frames_.size();
  }
  live_->request_sync_point();
  ASSERT_TRUE(wait_for_frames(asked + 3));
  live_->request_stop();
  expect_ended("stopped");
  const auto is_sync = [](const std::shared_ptr<const WireFrame>& f) {
    return std::ranges::all_of(f->frame.units, &CodedUnit::is_sync_point);
  };
  // The one being encoded while it was asked for may go before.
  EXPECT_TRUE(is_sync(frames_[asked]) || is_sync(frames_[asked + 1]));
}

TEST_F(LiveInTest, AFileThatIsMissingEndsItWithTheReason) {
  start(file("none.y4m"));
  expect_ended("none.y4m");
  EXPECT_TRUE(frames_.empty());
}

TEST_F(LiveInTest, AShortFileEndsWithItsEnd) {
  write_clip("clip.y4m", 5);
  start(file("clip.y4m"));
  expect_ended("the end of " + (folder_ / "clip.y4m").string());
  EXPECT_GE(frames_.size(), 5u);
  EXPECT_LE(frames_.size(), 6u);
}

TEST_F(LiveInTest, AFileOfOneFrameIsShown) {
  write_clip("still.y4m", 1);
  start(file("still.y4m"));
  expect_ended("the end of");
  EXPECT_GE(frames_.size(), 1u);
}

TEST_F(LiveInTest, AnUnknownCodecEndsItWithTheReason) {
  LiveInOptions options = test_scene();
  options.codec = "h267";
  start(std::move(options));
  expect_ended("there is no codec 'h267'");
  EXPECT_TRUE(frames_.empty());
}

TEST_F(LiveInTest, AStopAtOnceEndsItOnce) {
  start(test_scene());
  live_->request_stop();
  live_->request_stop();
  expect_ended("stopped");
}

TEST_F(LiveInTest, TheDestructorAloneEndsItOnce) {
  start(test_scene());
  ASSERT_TRUE(wait_for_frames(1));
  live_.reset();
  ASSERT_EQ(reasons_.size(), 1u);
  EXPECT_EQ(after_end_, 0);
}

TEST_F(LiveInTest, AnEncoderThatCannotKeepUpStopsAllTheSame) {
  LiveInOptions options = test_scene({240, 1});
  options.source_options.size = {1920, 1080};
  start(std::move(options));
  ASSERT_TRUE(wait_for_frames(3));
  live_->request_stop();
  expect_ended("stopped");
}

}  // namespace
}  // namespace qvid::media::live_in_test
