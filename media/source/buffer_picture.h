// A picture as it lies in a buffer of shared memory that another program has written.
//
// What is said of the buffer is not believed: a picture that is not all within its bytes is an Error,
// and a part that is not within the picture is taken for all of it. That the bytes are there is for
// the caller to see to.
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
  // The part of it that is the picture; empty, or not within it: all.
  struct Crop {
    int x = 0;
    int y = 0;
    PictureSize size{};
  } crop{};
};

// The part of it that is the picture, within its size.
BufferPicture::Crop shown_part(const BufferPicture& buffer);

// May refer to the bytes, which must outlive it. Safe for I420Converter, which reads a little beyond.
Result<AvFramePtr> picture_in(const BufferPicture& buffer);

}  // namespace qvid::media
