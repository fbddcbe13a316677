#include "media/source/sync_scene.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "media/sound/sound_block.h"

namespace qvid::media {
namespace {

constexpr double kBeepPeak = 0.251;  // -12 dB
// Soft enough not to click, steep enough to tell the beginning to a millisecond.
constexpr Duration kBeepEdge = std::chrono::milliseconds(2);
constexpr std::uint8_t kBlackLuma = 16;
constexpr std::uint8_t kWhiteLuma = 235;
constexpr std::uint8_t kNoChroma = 128;

float beep_at(std::int64_t frame) {
  const std::int64_t length = sound_frames(kBeep);
  if (frame >= length) return 0.0f;
  const auto to_edge = static_cast<double>(std::min(frame, length - frame));
  const double rise = std::min(1.0, to_edge / static_cast<double>(sound_frames(kBeepEdge)));
  const double loud = 0.5 - 0.5 * std::cos(std::numbers::pi * rise);
  const double turns = kBeepPitch * static_cast<double>(frame) / kSoundRate;
  return static_cast<float>(kBeepPeak * loud * std::sin(2 * std::numbers::pi * turns));
}

}  // namespace

void draw_sync_scene(NewFrame& picture, Duration elapsed) {
  VideoFrame& frame = picture.frame;
  frame.range = ColorRange::kLimited;
  frame.matrix = frame.size.height >= 720 ? ColorMatrix::kBt709 : ColorMatrix::kBt601;
  const bool flash = elapsed % Duration(1s) < kFlash;
  for (std::size_t i = 0; i < 3; ++i) {
    const int rows = i == 0 ? frame.size.height : frame.chroma_height();
    const std::uint8_t value = i > 0 ? kNoChroma : flash ? kWhiteLuma : kBlackLuma;
    std::fill_n(picture.writable[i], std::ptrdiff_t{frame.planes[i].stride} * rows, value);
  }
}

void draw_beeps(std::span<float> stereo, std::int64_t first) {
  for (std::size_t i = 0; i + 1 < stereo.size(); i += 2) {
    const std::int64_t frame = (first + static_cast<std::int64_t>(i / 2)) % kSoundRate;
    stereo[i] = stereo[i + 1] = beep_at(frame);
  }
}

}  // namespace qvid::media
