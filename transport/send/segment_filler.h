// How much the next chunk of a batch takes where the kernel's window is the limit. That counts
// segments, small ones like full ones: so a segment that is begun is filled, with parts of other
// messages, too, before the gate is asked again.
#pragma once

#include <algorithm>
#include <cstddef>

#include "transport/control/controller.h"

namespace paceline {

// Of one batch, which begins a segment.
class SegmentFiller {
 public:
  // `segment`: the kernel's; zero: nothing is to be filled.
  explicit SegmentFiller(ByteCount segment) : segment_(to_fill(segment)) {}

  bool fills() const { return segment_ > 0; }
  // Bytes of payload of the next chunk, at the most, behind `written` bytes of the batch; zero: the
  // gate is closed. `wanted`: as much as the allowance makes sensible, where
  // there is something to fill a whole chunk at the least.
  std::size_t next(std::size_t written, std::size_t wanted, ByteCount allowance) {
    if (written + kLeast > end_) {  // full, or the first
      if (allowance <= ByteCount()) return 0;
      // Of several segments at once the last is one of many.
      if (segment_ == 0 || wanted > kLeastWanted) return wanted;
      const bool first = end_ == 0 && written + kLeast <= segment_;  // acknowledgements, say
      end_ = (first ? 0 : written) + segment_;
    }
    return std::min(wanted, end_ - written - kFields);
  }

  static constexpr auto kLeastWanted = static_cast<std::size_t>(kWholeChunk.value());

 private:
  // Segments that are larger, as loopback's, would be filled far beyond the gate; a chunk fills several
  // that are smaller.
  static constexpr std::size_t kSmallest = 1000;
  static constexpr std::size_t kLargest = 1500;
  static constexpr std::size_t kSealed = 30;  // bytes that TLS and WebSocket add to a write
  static constexpr std::size_t kFields = 26;  // of a chunk
  static constexpr std::size_t kLeast = 160;  // less is not worth a chunk's fields

  static std::size_t to_fill(ByteCount segment) {
    const auto size = static_cast<std::size_t>(std::max(ByteCount(), segment).value());
    return size < kSmallest || size > kLargest ? 0 : size - kSealed;
  }

  std::size_t segment_;
  std::size_t end_ = 0;
};

}  // namespace paceline
