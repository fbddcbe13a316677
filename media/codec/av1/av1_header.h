// The frame header of the codec `av1`: what must arrive for the frame's unit to be of use.
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +---------------+-----------+-+-+-+-----+-----------------------+
//     |   kind = 2    |     0     |S|M|R|  0  |     width, height ...
//     +---------------+-----------+-+-+-+-----+-----------------------+
//
// kind:8, flags:8, width:16, height:16. R (0x04): full range. M (0x08): matrix of BT.709, else of
// BT.601. S (0x10): the unit is a synchronisation point. The other flags are zero.
//
// Every codec's frame header begins with a byte of its own (`h264`: 1): so a receiver knows a
// frame's codec from the frame (media/codec/codec.cc).
//
// Thread: any; no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/payload.h"
#include "base/result.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

inline constexpr std::uint8_t kAv1Kind = 2;

struct Av1Header {
  PictureSize size;
  ColorRange range = ColorRange::kLimited;
  ColorMatrix matrix = ColorMatrix::kBt601;
  bool sync = false;

  bool operator==(const Av1Header&) const = default;
};

// Precondition: what parse_av1_header demands.
Payload build_av1_header(const Av1Header& header);

// Refuses whatever build_av1_header cannot have made: another length or kind, reserved bits, a size
// that is not supported.
Result<Av1Header> parse_av1_header(std::span<const std::byte> bytes);

}  // namespace qvid::media
