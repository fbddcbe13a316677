// One picture in planar 4:2:0, and everything needed to show its colours right.
//
// Invariant: the pixels are immutable once the frame exists; `owner` keeps them alive, so a frame
// is copied by reference and shared between threads freely.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "base/sequence.h"
#include "base/units.h"

namespace qvid::media {

// In pixels.
struct PictureSize {
  int width = 0;
  int height = 0;
  bool operator==(const PictureSize&) const = default;
};
// "640x480".
std::string size_text(PictureSize size);

// Smallest and largest picture that is captured, encoded or accepted from a peer. The upper bound
// keeps one frame under 24 MiB whatever a peer announces.
inline constexpr int kMinSide = 16;
inline constexpr int kMaxSide = 4096;
constexpr bool is_supported(PictureSize s) {
  return s.width >= kMinSide && s.height >= kMinSide && s.width <= kMaxSide && s.height <= kMaxSide;
}

// Luma 16..235 or 0..255 (ITU-T H.273, VideoFullRangeFlag).
enum class ColorRange : std::uint8_t { kLimited, kFull };
// ITU-T H.273 MatrixCoefficients; what a screen of that size means where nothing is signalled.
enum class ColorMatrix : std::uint8_t { kBt601, kBt709 };

struct Plane {
  const std::uint8_t* data = nullptr;
  int stride = 0;  // bytes from one row to the next
};

struct VideoFrame {
  PictureSize size;
  std::array<Plane, 3> planes;  // Y; U and V at ceil(width / 2) x ceil(height / 2)
  ColorRange range = ColorRange::kLimited;
  ColorMatrix matrix = ColorMatrix::kBt601;
  std::shared_ptr<const void> owner;
  Timestamp captured{};  // when the device gave it

  int chroma_width() const { return (size.width + 1) / 2; }
  int chroma_height() const { return (size.height + 1) / 2; }
};

// A frame with planes of its own, for whoever draws or copies one. `writable` points into
// `frame.planes`; writing is over once the frame is handed on.
struct NewFrame {
  VideoFrame frame;
  std::array<std::uint8_t*, 3> writable{};
};
NewFrame allocate_frame(PictureSize size);
// The same picture in planes of its own.
VideoFrame own_copy(const VideoFrame& of);

}  // namespace qvid::media
