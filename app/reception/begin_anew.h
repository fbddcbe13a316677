// When a player asks for its live video from a key frame on: a frame that could not be decoded
// leaves those after it without what they were made from. Where every loss is told to the encoder,
// it makes key frames only when asked.
//
// To ask is to pause and to resume, which every sender knows. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <utility>

#include "base/units.h"

namespace qvid::app {

class BeginAnew {
 public:
  // A key frame is on its way for so long, and what came before it may fail, too.
  static constexpr Duration kEvery = std::chrono::seconds(2);

  // `errors`: frames that could not be decoded, of all that are played now; fewer than before where
  // some are played no more.
  bool due(std::int64_t errors, Timestamp now) {
    owed_ |= errors > std::exchange(errors_, errors);
    if (!owed_ || now < next_) return false;
    owed_ = false;
    next_ = now + kEvery;
    return true;
  }

 private:
  std::int64_t errors_ = 0;
  bool owed_ = false;
  Timestamp next_{};
};

}  // namespace qvid::app
