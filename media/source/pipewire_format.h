// What pictures are asked for of a node of PipeWire, and what it says that it gives. Private to media.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "media/picture/video_frame.h"

struct spa_pod;

namespace qvid::media {

// Parameters of PipeWire, in memory of their own.
class PipewireParameters {
 public:
  // Uncompressed pictures in shared memory of all formats of one plane that are met, no more often
  // than `rate`; and, where the node cannot say how often, the same without that.
  static PipewireParameters formats(FrameRate rate);
  // Buffers that can be mapped, with what part of them is the picture and whether it is whole.
  static PipewireParameters buffers(int most);

  // As PipeWire takes them; they stay until this is destroyed.
  std::vector<const spa_pod*> all() const;

 private:
  std::vector<std::vector<std::uint64_t>> memory_;  // aligned as PipeWire's are
};

struct PipewireFormat {
  int pixels = -1;  // AVPixelFormat; -1: one that was not asked for
  PictureSize size;
};
// Of a parameter SPA_PARAM_Format.
PipewireFormat pipewire_format(const spa_pod& parameter);

}  // namespace qvid::media
