// Frames at the clock's pace, where no device sets one: a file, a tone, nowhere.
//
//   next() = begin + position / kSoundRate
//
// Who comes more than kMostLate too late (the machine slept) skips what is past instead of catching
// up: nobody wants to hear it, and a burst would be late all over again.
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/units.h"
#include "media/sound/sound_block.h"

namespace qvid::media {

class SoundPace {
 public:
  static constexpr Duration kMostLate = std::chrono::milliseconds(100);

  bool started() const { return started_; }
  // The next frame is that of `now`.
  void start(Timestamp now) {
    begin_ = now;
    position_ = 0;
    started_ = true;
  }
  void stop() { started_ = false; }

  // Frames that are due by then and were not taken; at most those of kMostLate. Starts by itself.
  std::size_t due(Timestamp now) {
    if (!started_) start(now);
    const std::int64_t passed = sound_frames(now - begin_);
    if (passed - position_ > sound_frames(kMostLate)) {
      skipped_ += passed - position_;
      position_ = passed;
    }
    return static_cast<std::size_t>(std::max<std::int64_t>(0, passed - position_));
  }
  void take(std::size_t frames) { position_ += static_cast<std::int64_t>(frames); }

  // Of the next frame. Precondition: started.
  Timestamp next() const { return begin_ + sound_time(position_); }
  // Taken or skipped since it started.
  std::int64_t position() const { return position_; }
  std::int64_t skipped() const { return skipped_; }

 private:
  Timestamp begin_{};
  std::int64_t position_ = 0;
  std::int64_t skipped_ = 0;  // of all time
  bool started_ = false;
};

}  // namespace qvid::media
