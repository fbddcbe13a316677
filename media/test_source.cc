#include "media/test_source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/clock.h"
#include "media/wait_until.h"

namespace qvid::media {
namespace {

constexpr PictureSize kDefaultSize{640, 480};

PictureSize even(PictureSize size) { return {size.width & ~1, size.height & ~1}; }

// The newest frame whose time has come after `elapsed`.
std::int64_t newest_due(FrameRate rate, Duration elapsed) {
  auto frame = static_cast<std::int64_t>(to_seconds(elapsed) * rate.per_second());
  while (rate.time_of(frame) > elapsed) --frame;  // the product was rounded up
  return frame;
}

}  // namespace

TestSource::TestSource(const SourceOptions& options)
    : size_(even(options.size == PictureSize{} ? kDefaultSize : options.size)),
      rate_(options.rate) {}

Result<std::variant<VideoFrame, EndOfStream>> TestSource::read(std::stop_token stop) {
  const Timestamp now = steady_now();
  if (!start_) start_ = now;
  if (now - *start_ > rate_.time_of(next_ + 1)) next_ = newest_due(rate_, now - *start_);
  const Duration time = rate_.time_of(next_);
  if (!wait_until(*start_ + time, stop)) return {EndOfStream{}};

  NewFrame picture = allocate_frame(size_);
  draw_test_scene(picture, next_, time);
  picture.frame.captured = *start_ + time;
  ++next_;
  return {std::move(picture.frame)};
}

std::string TestSource::description() const {
  char text[64];
  std::snprintf(text, sizeof text, "test scene, %dx%d at %.4g fps", size_.width, size_.height,
                rate_.per_second());
  return text;
}

}  // namespace qvid::media
