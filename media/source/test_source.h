// The test scene as a source: a camera that everybody has.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "base/result.h"
#include "base/units.h"
#include "media/source/sync_scene.h"
#include "media/source/test_scene.h"
#include "media/source/video_source.h"

namespace qvid::media {

// What sources offer, in frames per second.
inline constexpr double kHighestRate = 240;
inline constexpr double kLowestRate = 1;

enum class TestClip {
  kScene,  // media/source/test_scene.h, with a beep each second
  kSync,   // media/source/sync_scene.h
};

// Frame n is drawn at start + n frame times; the start is the first `read`. A reader that is late
// by more than a frame misses frames, as with a camera: the newest that is due is drawn. Sound is
// on the same timeline, given so long ahead that it is there when it is due. Thread: one.
class TestSource final : public VideoSource {
 public:
  // Precondition: the options are sound (open_source checks them).
  explicit TestSource(const SourceOptions& options, TestClip clip = TestClip::kScene);

  // EndOfStream only after a request to stop.
  Result<std::variant<VideoFrame, EndOfStream>> read(std::stop_token stop) override;
  PictureSize size() const override { return size_; }
  std::string description() const override;

 private:
  // All the sound up to that time of the timeline.
  void give_sound(Duration until);

  TestClip clip_;
  std::shared_ptr<SoundQueue> sound_;  // may be null
  std::int64_t next_sound_ = 0;        // frame of sound
  PictureSize size_;
  FrameRate rate_;
  std::optional<Timestamp> start_;
  std::int64_t next_ = 0;
};

}  // namespace qvid::media
