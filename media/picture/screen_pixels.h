// A picture as a screen takes it, by the processor: 32 bits a pixel, in memory blue, green, red and one
// that means nothing. Of any range and matrix, drawn at any size.
//
// A picture that is drawn at half its size or smaller is halved first, as planes: libyuv's bilinear filter
// looks at four pixels, so each of them is to be the mean of what it stands for, and what is left out is
// not converted. For the same reason rows that are too many go before the pixels are made; columns go after
// it, for libyuv scales those of a plane one by one. A small picture that is drawn far larger is doubled by a
// bicubic filter first (frame_scaler.h). libyuv then makes pixels and scales them, which takes less than half of what scaling
// I420 by swscale does. Its pixels of limited BT.709 are up to 12 off in blue: those are swscale's.
// Thread: one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/picture/frame_scaler.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

class ScreenPixels {
 public:
  // Keeps the picture.
  void take(VideoFrame frame) { frame_ = std::move(frame); }
  bool empty() const { return !frame_; }
  // Its memory is given back.
  void clear();
  // Of what was taken.
  PictureSize size() const { return frame_ ? frame_->size : PictureSize(); }
  // `pixels`: as many rows as `to` has, each of `stride` bytes. An Error where a library refuses,
  // nothing was taken or `to` is empty.
  Result<std::monostate> draw(PictureSize to, std::uint8_t* pixels, int stride);

 private:
  Result<std::monostate> convert(const VideoFrame& frame, std::uint8_t* pixels, int stride);
  // Rows of `pixels` have room for whole groups of swscale's.
  Result<std::monostate> convert_by_swscale(const VideoFrame& frame, std::uint8_t* pixels,
                                            int stride);
  Plane with_room(const Plane& plane, int width, int height, std::size_t number);

  std::optional<VideoFrame> frame_;
  FrameScaler scaler_;
  PictureSize size_;
  ColorRange range_{};
  ColorMatrix matrix_{};
  SwsPtr converter_;                                // for those
  std::array<std::vector<std::uint8_t>, 3> roomy_;  // planes whose rows have that room
  std::vector<std::uint8_t> unscaled_;              // pixels, before they are scaled
};

}  // namespace qvid::media
