// The parts of a preview on their way: small frames, each decoded by itself, of which the newest
// counts.
//
// Bounds: one frame, kMostBytes; what is of an older one, or malformed, is dropped. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/payload.h"
#include "base/units.h"
#include "media/codec/decoder.h"
#include "media/unit/unit_wire.h"

namespace qvid::app {

struct PreviewFrame {
  Duration place{};  // in the video
  media::ReceivedFrame frame{};
};

class PreviewFrames {
 public:
  static constexpr std::size_t kMostBytes = 256 * 1024;

  // A message of their stream. The frame, where that was the last part of it.
  std::optional<PreviewFrame> on_message(std::uint64_t position, const Payload& payload);

 private:
  // False: it is none to be kept.
  bool take(media::FrameMessage message);

  FrameNumber number_{-1};
  std::optional<media::FrameHeaderMessage> header_;
  std::vector<media::CodedUnit> units_;  // those that came, by layer
  std::size_t bytes_ = 0;
};

}  // namespace qvid::app
