// An output at the clock's pace: where there is no loudspeaker, what would be heard passes all the
// same, so that playing, its statistics and the picture beside it go on.
//
// It is written a little ahead (kAhead: a turn, and what passes between two polls), so that nothing
// is pulled after its time. Who comes too late skips (sound_pace.h).
//
// Pure. Thread: one.
#pragma once

#include <string>

#include "media/sound/sound_device.h"
#include "media/sound/sound_pace.h"

namespace qvid::media {

class ClockOutput : public SoundOutput {
 public:
  static constexpr Duration kAhead = std::chrono::milliseconds(15);

  std::size_t wanted(Timestamp now) override { return pace_.due(now + kAhead); }
  Timestamp heard(Timestamp now) override { return pace_.started() ? pace_.next() : now + kAhead; }
  void write(std::span<const float> stereo) override { pace_.take(stereo.size() / 2); }
  std::string description() const override { return "nowhere, at the clock's pace"; }

 private:
  SoundPace pace_;
};

}  // namespace qvid::media
