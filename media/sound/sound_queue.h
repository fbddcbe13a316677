// Sound of a source on its way from the capture thread, which also paces the pictures, to the sound
// thread.
//
//   push: blocks in order of time, up to a second before they are due       (capture thread)
//   read: what is due by now: captured <= now                               (sound thread)
//
// A block that begins where the one before ended follows it; one that begins a little later (up to
// kMostFilled: lost or damaged sound) has silence before it; a greater gap is left as it is, and
// the next block's `captured` says so. What overlaps with what was pushed or read before is left
// out, so that no instant is given twice.
//
// Bound: kMostHeld of sound; beyond it the oldest goes, as nobody takes it. What has been due for
// kMostLate is of no use in a call and goes too.
//
// Thread: any. Pure: `now` is handed in.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/units.h"
#include "media/sound/sound_block.h"
#include "media/sound/sound_device.h"

namespace qvid::media {

class SoundQueue {
 public:
  static constexpr Duration kMostHeld = std::chrono::seconds(2);
  static constexpr Duration kMostLate = std::chrono::seconds(1);
  static constexpr Duration kMostFilled = std::chrono::milliseconds(100);
  static constexpr Duration kMostRead = std::chrono::milliseconds(100);  // at a time
  // Blocks that miss each other by less were meant to meet: timestamps of files are in ms.
  static constexpr Duration kLeastGap = std::chrono::milliseconds(1);

  struct Stats {
    std::int64_t frames_pushed = 0;
    std::int64_t frames_dropped = 0;  // by the bounds, or given twice
    std::int64_t frames_filled = 0;   // silence in small gaps
  };

  // 48 kHz, mono or stereo.
  void push(SoundBlock block);
  // What was pushed and not read is not heard any more: another source begins.
  void clear();
  // Stereo; false: nothing is due.
  bool read(Timestamp now, SoundBlock& block);
  Stats stats() const;

 private:
  Timestamp front_time() const;
  void drop_frames(std::int64_t count);  // from the front, of its block at most
  void take(std::int64_t count, SoundBlock& to);

  mutable std::mutex mutex_;       // guards these
  std::deque<SoundBlock> held_;    // stereo, none empty
  std::int64_t front_used_ = 0;    // frames of the front that are gone
  std::int64_t frames_ = 0;        // held
  std::optional<Timestamp> end_;   // of what was pushed
  std::optional<Timestamp> next_;  // end of what was read
  Stats stats_;
};

// The queue as the sound thread takes it.
class SoundQueueInput final : public SoundInput {
 public:
  SoundQueueInput(std::shared_ptr<SoundQueue> queue, std::string description)
      : queue_(std::move(queue)), description_(std::move(description)) {}

  bool read(Timestamp now, SoundBlock& block) override { return queue_->read(now, block); }
  bool is_microphone() const override { return false; }
  int channels() const override { return 2; }
  std::string description() const override { return description_; }

 private:
  const std::shared_ptr<SoundQueue> queue_;
  const std::string description_;
};

}  // namespace qvid::media
