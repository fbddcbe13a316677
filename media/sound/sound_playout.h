// Playing one party's sound: packets go in as they arrive, samples come out as the device takes
// them.
//
// All decisions and bounds are the engine's (sound_playout_engine.h); here is the lock.
//
// Thread: any; a call takes the time of decoding a packet or a few.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/payload.h"
#include "base/units.h"
#include "media/sound/presentation_clock.h"
#include "media/sound/sound_codec.h"
#include "media/sound/sound_packet.h"
#include "media/sound/sound_playout_stats.h"
#include "media/sound/sound_voice.h"

namespace qvid::media {

class SoundPlayout final : public SoundVoice {
 public:
  // `clock`: of the party; may be null.
  SoundPlayout(std::unique_ptr<SoundDecoder> decoder, std::shared_ptr<PresentationClock> clock);
  ~SoundPlayout() override;
  SoundPlayout(const SoundPlayout&) = delete;
  SoundPlayout& operator=(const SoundPlayout&) = delete;

  // A message of the stream; what is malformed is counted and left.
  void on_message(std::uint64_t position, const Payload& payload, Timestamp arrival);
  // Packets may be that much late at any time, though none has been: over a TCP that loses segments
  // a repair takes a round trip. Zero: nothing is known of that.
  void expect_late(Duration late);
  // The next stereo frames, the first of which is heard at `heard`. `frames`: interleaved, of
  // kSoundTurn frames. False: it is silence, written all the same.
  bool pull(Timestamp heard, std::span<float> frames) override;
  // By how much later than as early as possible packets may still be of use: what a sender should
  // give them (deadline = capture + window + least transit). In steps of 20 ms.
  Duration window() const;
  SoundPlayoutStats stats() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace qvid::media
