// Whether small TCP segments would help. Source: 003: with a congestion window of a few segments
// there are never three duplicate acknowledgements, TCP falls from fast retransmit into time-outs,
// and some flows starve; smaller segments make more of them from the same window.
//
// Small from when the window has been under 4 full segments for kFor and the path stalls (a gap in
// the acknowledgements as long as a time-out: a small window alone may just be a short path); full
// again when it has been over 8 for kFor.
#pragma once

#include <cstdint>

#include "transport/wire/message.h"

namespace paceline {

// Three duplicate acknowledgements and one segment that was lost.
inline constexpr std::int64_t kFewSegments = 4;
// The largest segment of a small-segment channel, in bytes: a third of Ethernet's, so that a window
// of two full segments is six; less would pay more for headers than it gains.
inline constexpr std::uint32_t kSmallSegment = 480;

class SegmentPolicy {
 public:
  // A gap between acknowledgements while something was in flight.
  void on_gap(Duration gap, Timestamp now) {
    if (gap >= kStall) last_stall_ = now;
  }
  // `window`: the controller's; zero where it has none. True: small segments are wanted.
  bool update(ByteCount window, Timestamp now) {
    const std::int64_t segments = window.value() / kFullSegment;
    const bool stalls = last_stall_ != Timestamp() && now - last_stall_ < kRemember;
    const bool change = small_ ? segments > 2 * kFewSegments : segments < kFewSegments && stalls;
    if (!change || window <= ByteCount()) {
      since_ = now;
    } else if (now - since_ >= kFor) {
      small_ = !small_;
      since_ = now;
    }
    return small_;
  }

 private:
  static constexpr std::int64_t kFullSegment = 1448;  // bytes, Ethernet with time stamps
  static constexpr Duration kStall = std::chrono::milliseconds(200);  // TCP's shortest time-out
  static constexpr Duration kRemember = std::chrono::seconds(10);
  static constexpr Duration kFor = std::chrono::seconds(3);

  bool small_ = false;
  Timestamp since_{};
  Timestamp last_stall_{};
};

}  // namespace paceline
