// What an H.264 stream says of itself before its first slice (H.264, 7.3.1, 7.3.2.1.1), and how much
// memory a decoder would need for it: known before a decoder has seen a byte. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

inline constexpr int kSliceNal = 1;
inline constexpr int kIdrNal = 5;
inline constexpr int kSpsNal = 7;
inline constexpr int kPpsNal = 8;

// The NAL units of an annex B stream, without start codes; none is empty.
std::vector<std::span<const std::byte>> h264_nals(std::span<const std::byte> stream);
int h264_type_of(std::span<const std::byte> nal);
// Whether later pictures may refer to the first of the stream.
bool h264_is_reference(std::span<const std::byte> stream);
// Without the bytes that keep start codes from occurring inside (7.4.1.1), and the zeros that may
// pad the end (cabac_zero_words).
std::vector<std::byte> h264_unescaped(std::span<const std::byte> nal);

struct H264Sequence {
  PictureSize coded;        // as it is decoded: whole macroblocks
  int references = 0;       // pictures a decoder keeps, 0..16
  int frame_num_bits = 4;   // log2 of where frame numbers wrap
  unsigned order_type = 0;  // pic_order_cnt_type
  int order_bits = 0;       // log2 of where orders wrap, of type 0; 4..16
  bool frames_only = true;

  // What a decoder holds at the most: the references, the picture in the making and the one given.
  ByteCount memory() const;
};

// Refused: what is no such set, more than 16 references, other than 8-bit 4:2:0, scaling matrices.
Result<H264Sequence> parse_h264_sequence(std::span<const std::byte> sps);

// The most that a parameter set of the unit asks for; empty where there is none. Refused: one that
// is none, or of pictures larger than `size` with `slack` at each side.
Result<std::optional<ByteCount>> h264_memory_of(std::span<const std::byte> unit, PictureSize size,
                                                int slack);

}  // namespace qvid::media
