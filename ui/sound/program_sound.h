// What the programs of this computer play, but for this one, to be shared: by PulseAudio, or PipeWire
// in its place.
//
//   each stream that another program plays -> its own monitor (pa_stream_set_monitor_stream)
//     -> CapturePort -> RingInput -> FollowedInput -> sum
//
// Not the monitor of the loudspeaker: there the others of the call are, too, and would hear
// themselves. What this process plays is never asked for; and neither is what passes on what others
// play, for the call may be in it: streams of the server's modules (no client: a loopback, an equaliser,
// loudspeakers that are combined), and filters (node.link-group).
//
// A server that is not there, or goes, is looked for each kRetry. Whatever plays on whichever
// loudspeaker is heard; a stream that moves, or a program that begins, is taken up as the server tells it.
//
// Bounds: kMostPrograms streams; each port's. Thread: as SharedSound; libpulse's own, which this owns.
#pragma once

#include <memory>

#include "media/sound/shared_sound.h"

namespace qvid::ui {

class ProgramSound : public media::SharedSound {
 public:
  static constexpr std::size_t kMostPrograms = 32;
  static constexpr Duration kRetry = std::chrono::seconds(1);

  explicit ProgramSound(OnState on_state);
  ~ProgramSound() override;

  bool available() const override;
  void set_on(bool on) override;
  bool pull(Timestamp captured, Timestamp now, std::span<float> stereo) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace qvid::ui
