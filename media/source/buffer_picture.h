// A picture as it lies in a buffer of shared memory that another program has written.
//
// What is said of the buffer is not believed: a picture that is not all within its bytes is an Error.
// Private to media. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

struct BufferPicture {
  std::span<const std::uint8_t> bytes;  // all of the buffer
  std::size_t offset = 0;               // of the first row that is stored
  int stride =
      0;  // bytes from one row to the next; 0: they are packed; below 0: the last row first
  int format = -1;   // AVPixelFormat with one plane
  PictureSize size;  // of what is stored
  // The part of it that is the picture; empty: all.
  struct Crop {
    int x = 0;
    int y = 0;
    PictureSize size{};
  } crop{};
};

// Refers to the bytes, which must outlive it.
Result<AvFramePtr> picture_in(const BufferPicture& buffer);

}  // namespace qvid::media
