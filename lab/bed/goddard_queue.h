// Frames before a session that takes no more for now: MTP's non-blocking mode, which drops at the
// front where its queue is full (004 section 5.2.1). Whole frames here: a part of one is of no use.
//
// Bound: kMost bytes; the newest frame always stays. Pure. Thread: one at a time.
#pragma once

#include <deque>

#include "base/units.h"
#include "lab/bed/adu.h"

namespace qvid::lab {

class GoddardQueue {
 public:
  // What kernels have for a socket at least (004 section 5.2.3.2).
  static constexpr ByteCount kMost = 64_KiB;

  void push(const Adu& frame) {
    frames_.push_back(frame);
    bytes_ += ByteCount(frame.bytes);
    while (bytes_ > kMost && frames_.size() > 1) pop();
  }
  bool empty() const { return frames_.empty(); }
  // The oldest. Precondition: not empty.
  Adu pop() {
    const Adu frame = frames_.front();
    frames_.pop_front();
    bytes_ -= ByteCount(frame.bytes);
    return frame;
  }

 private:
  std::deque<Adu> frames_;
  ByteCount bytes_{};
};

}  // namespace qvid::lab
