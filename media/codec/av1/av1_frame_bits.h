// What a frame of AV1 says of itself at the beginning of its header, as our encoder makes it.
//
// libaom keeps a picture in more slots than it was told to now and then (a "golden" one, in slot 0):
// what is referred to later must follow what it did, not what it was asked for. So it is read from
// the coded frame. Source: AV1 Bitstream & Decoding Process Specification, 5.3, 5.5, 5.9.2.
//
// It reads frames of a stream without frame numbers, order hints and decoder model, in which every
// frame chooses its screen tools: libaom in real time as av1_stream.cc sets it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace qvid::media {

struct Av1FrameBits {
  static constexpr int kNoPrimary = 7;
  std::uint8_t refreshed = 0;  // the slots that it is kept in, a bit each
  int primary = kNoPrimary;    // the reference, 0..6, whose entropy contexts it goes on with
  std::size_t begins = 0;      // bytes of temporal delimiters before it, of no use to a decoder
};

// Of one temporal unit with one shown frame. An Error: it is none.
Result<Av1FrameBits> read_av1_frame_bits(std::span<const std::byte> unit);

}  // namespace qvid::media
