// Echo cancellation, noise suppression and gain control by webrtc-audio-processing (0.3 and 1.x).
//
//   played: what goes to the loudspeakers, as it is written        captured: what the microphone
//   gave
//
// Rumble below speech is always taken away. What comes out is what went in latency() before. A turn
// of another size is left as it is.
//
// Thread: one at a time.
#pragma once

#include <memory>
#include <span>

#include "base/result.h"
#include "base/units.h"

namespace qvid::media {

struct VoiceProcessorOptions {
  bool echo = true;
  bool noise = true;
  bool gain = true;
};

class VoiceProcessor {
 public:
  static Result<std::unique_ptr<VoiceProcessor>> make(const VoiceProcessorOptions& options);
  virtual ~VoiceProcessor() = default;
  // kSoundTurn stereo frames that are written to the output now.
  virtual void on_played(std::span<const float> stereo) = 0;
  // kSoundTurn mono frames, changed in place. `delay`: from when a frame is written to the output
  // until what it made of the microphone's is read. Where
  // it is wrong by many tens of ms, 0.3 takes up to a quarter of a minute to find the echo.
  virtual void process(std::span<float> mono, Duration delay) = 0;
  // A processed frame was captured so long before the one whose place it has.
  virtual Duration latency() const { return {}; }
};

}  // namespace qvid::media
