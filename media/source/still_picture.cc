#include "media/source/still_picture.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "media/picture/frame_scaler.h"

namespace qvid::media {

Result<VideoFrame> take_still(const SourceSpec& spec, PictureSize most, std::stop_token stop) {
  constexpr FrameRate kSoon{60, 1};  // a screen's first picture comes after one period
  auto source = open_source(spec, {.rate = kSoon}, stop);
  if (!source) return source.error();
  auto read = (*source)->read(std::move(stop));
  if (!read) return read.error();
  const auto* const frame = std::get_if<VideoFrame>(&*read);
  if (frame == nullptr) return Error{"no picture came from " + spec.text()};
  const double scale = std::min(static_cast<double>(most.width) / frame->size.width,
                                static_cast<double>(most.height) / frame->size.height);
  if (scale >= 1) return own_copy(*frame);
  FrameScaler scaler;
  return scaler.scale(*frame, scaled_size(frame->size, scale));
}

}  // namespace qvid::media
