#include "media/source/test_source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/clock.h"
#include "media/sound/sound_queue.h"
#include "media/source/wait_until.h"

namespace qvid::media {
namespace {

constexpr PictureSize kDefaultSize{640, 480};
// Sound is given so long before its time: for what is done between two reads.
constexpr Duration kTestSoundAhead = 100ms;
// After a longer pause of the reader, sound goes on from where the timeline is.
constexpr Duration kMostSoundBehind = SoundQueue::kMostLate;

PictureSize even(PictureSize size) { return {size.width & ~1, size.height & ~1}; }

// The newest frame whose time has come after `elapsed`.
std::int64_t newest_due(FrameRate rate, Duration elapsed) {
  auto frame = static_cast<std::int64_t>(to_seconds(elapsed) * rate.per_second());
  while (rate.time_of(frame) > elapsed) --frame;  // the product was rounded up
  return frame;
}

}  // namespace

TestSource::TestSource(const SourceOptions& options, TestClip clip)
    : clip_(clip),
      sound_(options.sound),
      size_(even(options.size == PictureSize{} ? kDefaultSize : options.size)),
      rate_(options.rate) {
  if (sound_) sound_->clear();
}

Result<std::variant<VideoFrame, EndOfStream>> TestSource::read(std::stop_token stop) {
  const Timestamp now = steady_now();
  if (!start_) start_ = now;
  if (now - *start_ > rate_.time_of(next_ + 1)) next_ = newest_due(rate_, now - *start_);
  const Duration time = rate_.time_of(next_);
  give_sound(std::max(time, now - *start_) + kTestSoundAhead);
  if (!wait_until(*start_ + time, stop)) return {EndOfStream{}};

  NewFrame picture = allocate_frame(size_);
  if (clip_ == TestClip::kSync) {
    draw_sync_scene(picture, time);
  } else {
    draw_test_scene(picture, next_, time);
  }
  picture.frame.captured = *start_ + time;
  ++next_;
  return {std::move(picture.frame)};
}

void TestSource::give_sound(Duration until) {
  if (!sound_) return;
  next_sound_ = std::max(next_sound_, sound_frames(until - kMostSoundBehind));
  const std::int64_t end = sound_frames(until);
  if (end <= next_sound_) return;
  SoundBlock block{.captured = *start_ + sound_time(next_sound_), .channels = 2};
  block.samples.resize(static_cast<std::size_t>(2 * (end - next_sound_)));
  draw_beeps(block.samples, next_sound_);
  sound_->push(std::move(block));
  next_sound_ = end;
}

std::string TestSource::description() const {
  char text[64];
  std::snprintf(text, sizeof text, "%s, %dx%d at %.4g fps",
                clip_ == TestClip::kSync ? "flashes and beeps" : "test scene", size_.width,
                size_.height, rate_.per_second());
  return text;
}

}  // namespace qvid::media
