// The frame header of every codec of layers: what must arrive for any of the frame's units to be of
// use.
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +---------------+-+-+-+-+-+-+---+-------------------------------+
//     |     codec     |3|S2 S1 S0|M|R| C |      nominal width         |
//     +---------------+-+-+-+-+-+-+---+-------------------------------+
//     |        nominal height         |    width of layer 0           |
//     +-------------------------------+-------------------------------+
//     |      height of layer 0        |
//     +-------------------------------+
//
// codec: 1 `h264`, 2 `av1`: so a receiver knows a frame's codec from the frame.
// C: temporal class of layer 0, 0..2.  R: full range.  M: matrix of BT.709, else of BT.601.
// S0..S2: the unit of that layer, if it comes, is a synchronisation point.
// 3: there may be three layers, each half as large as the next.
// Size of layer 0: of the picture to show. Where it is the nominal size, that layer is all that there
// is, and `av1` leaves it out. Layers below the highest are coded at their size rounded up to even.
//
// Thread: any; no state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/payload.h"
#include "base/result.h"
#include "media/picture/video_frame.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

inline constexpr std::size_t kMostLayers = 3;

enum class CodecKind : std::uint8_t { kH264 = 1, kAv1 = 2 };
std::string_view name_of(CodecKind codec);

struct FrameHeader {
  CodecKind codec = CodecKind::kH264;
  PictureSize nominal{};  // of the source and of the highest layer; of `h264`: even
  PictureSize low{};      // of layer 0
  bool three = false;     // then `low` is a quarter of the nominal width and height
  TemporalClass temporal_class = TemporalClass::kT0;
  ColorRange range = ColorRange::kLimited;
  ColorMatrix matrix = ColorMatrix::kBt601;
  std::array<bool, kMostLayers> sync{};  // by layer; of those that there may be

  // How many it takes for the full picture, whether they are coded or not.
  std::size_t layers() const { return low == nominal ? 1 : three ? 3 : 2; }
  // Of the picture to show. layer < layers().
  PictureSize size_of(std::size_t layer) const;

  bool operator==(const FrameHeader&) const = default;
};

// Precondition: what parse_frame_header demands.
Payload build_frame_header(const FrameHeader& header);

// Refuses whatever build_frame_header cannot have made for that codec: another length or codec, bits of
// layers that there are not, a nominal size that is not supported, a layer 0 that is larger than the
// nominal size or smaller than half the smallest supported picture.
Result<FrameHeader> parse_frame_header(std::span<const std::byte> bytes, CodecKind codec);

}  // namespace qvid::media
