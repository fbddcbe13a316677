// The frame header of the codec `h264`: what must arrive for any of the frame's units to be of use.
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +---------------+---+-+-+-+-+---+-------------------------------+
//     |  version = 1  | 0 |H|L|M|R| C |         nominal width         |
//     +---------------+---+-+-+-+-+---+-------------------------------+
//     |        nominal height         |           L width             |
//     +-------------------------------+-------------------------------+
//     |           L height            |
//     +-------------------------------+
//
// C: temporal class of L, 0..2.  R: full range.  M: matrix of BT.709, else of BT.601.
// L, H: that unit, if it comes, is a synchronisation point.
// L size: of the picture to show; L is coded at that size rounded up to even.
//
// Thread: any; no state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/payload.h"
#include "base/result.h"
#include "media/picture/video_frame.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

inline constexpr std::size_t kH264Layers = 2;  // L, H

struct H264Header {
  PictureSize nominal;  // of the source and of H: even
  PictureSize low;      // of L
  TemporalClass temporal_class = TemporalClass::kT0;
  ColorRange range = ColorRange::kLimited;
  ColorMatrix matrix = ColorMatrix::kBt601;
  std::array<bool, kH264Layers> sync{};  // by layer

  bool operator==(const H264Header&) const = default;
};

// Precondition: what parse_h264_header demands.
Payload build_h264_header(const H264Header& header);

// Refuses whatever build_h264_header cannot have made: another length or version, reserved bits, a
// nominal size that is odd or not supported, an L that is larger than the nominal size or smaller
// than half the smallest supported picture.
Result<H264Header> parse_h264_header(std::span<const std::byte> bytes);

}  // namespace qvid::media
