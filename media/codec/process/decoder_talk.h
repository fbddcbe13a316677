// What a program and its decoder processes say to each other (decoder_process.h), as bytes.
//
//   request  := size:u32 id:u32 number:u64 released:u8 n*(id:u32) header:u32+bytes
//               units:u8 n*(layer:u8 size:u32 bytes)
//   answer   := size:u16 body
//   body     := ready=0:u8 why:text               first of all; without why: it is confined
//             | nothing=1:u8                      none of the frame can be shown
//             | failed=2:u8 why:text
//             | picture=3:u8 number:u64 layer:u8 layers:u8 failed:u8 full_range:u8 bt709:u8
//               nominal:size shown:size 3*(offset:u64 stride:u32)        size := width:u16 height:u16
//
// A picture lies in the memory that both have. The id is the program's name of what it may get; when
// that is seen no more, the id comes back in `released`, and the process may write there again.
//
// The process may be a stranger's by then: parse_answer believes nothing, and what it gives lies
// within the memory and is what was asked for. Pixels alone may change at any time.
//
// Pure. Thread: any; no state.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "media/codec/decoder.h"

namespace qvid::media {

inline constexpr std::size_t kMostRequest = 40 * 1024 * 1024;  // bytes, two of the largest units
inline constexpr std::size_t kMostAnswer = 512;                // bytes
// Pictures that are seen, or wait to be, of one stream.
inline constexpr std::size_t kMostPicturesOut = 64;

struct DecodeRequest {
  std::uint32_t id = 0;
  std::vector<std::uint32_t> released;  // at most kMostPicturesOut
  ReceivedFrame frame;                  // of its units: layer and data
};

// Whole, or without its size where `body` is parsed. Empty: larger than kMostRequest.
std::vector<std::byte> build_request(const DecodeRequest& request);
Result<DecodeRequest> parse_request(std::span<const std::byte> body);

struct DecoderReady {
  std::string unconfined;  // why it may do what it likes; empty: it may not
};
struct NothingDecoded {};
struct DecodeFailed {
  std::string why;
};
struct PlaneInStore {
  std::uint64_t offset = 0;
  std::uint32_t stride = 0;
};
struct PictureInStore {
  FrameNumber number;
  std::uint8_t layer = 0;
  std::uint8_t layers = 1;
  std::bitset<kMaxUnits> failed;
  ColorRange range = ColorRange::kLimited;
  ColorMatrix matrix = ColorMatrix::kBt601;
  PictureSize nominal;
  PictureSize shown;
  std::array<PlaneInStore, 3> planes;
};
using DecoderAnswer = std::variant<DecoderReady, NothingDecoded, DecodeFailed, PictureInStore>;

// Whole; texts are cut to fit.
std::vector<std::byte> build_answer(const DecoderAnswer& answer);
// `store_bytes`: of the memory that both have. Texts come without control characters.
Result<DecoderAnswer> parse_answer(std::span<const std::byte> body, std::size_t store_bytes);

}  // namespace qvid::media
