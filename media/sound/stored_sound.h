// Playing the sound of stored video: packets go in by their places, samples come out at the places
// that the play clock (play_clock.h) gives to the times at which they are heard.
//
//   error = place of the next sample - the clock's, when it is heard   smoothed over 16 turns
//
//   below kTolerated     it plays on: clocks of devices differ
//   up to kJump          a turn takes up to three frames more or less (0.6 %), until it is below
//                        kMended: such a change of speed is not heard
//   beyond               it goes to the place, the old crossfaded into the new over a turn
//
// At another speed than 1 sound is stretched at the same pitch (time_stretcher.h), a percent more or
// less while the error is mended; a change of speed is made as a jump is.
//
// Where time stands still it fades out in a turn; where it runs again it begins at the place then,
// fading in. So nothing is lost to a pause: what an output had taken ahead is heard again.
//
// The picture never waits for sound: what is missing is concealed and counted
// (stored_sound_line.h, which has the bounds).
//
// Thread: any; a call takes the time of decoding some 100 ms at most.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "base/payload.h"
#include "media/sound/play_clock.h"
#include "media/sound/sound_voice.h"
#include "media/sound/stored_sound_line.h"
#include "media/sound/time_stretcher.h"

namespace qvid::media {

class StoredSound final : public SoundVoice {
 public:
  static constexpr Duration kTolerated = std::chrono::milliseconds(5);
  static constexpr Duration kMended = std::chrono::milliseconds(1);
  static constexpr Duration kJump = std::chrono::milliseconds(30);

  StoredSound(std::unique_ptr<SoundDecoder> decoder, std::shared_ptr<PlayClock> clock);

  // Another seek epoch of the video: what has come is forgotten, numbers begin at 0.
  void begin();
  // A message of the seek epoch that has begun; what is malformed is counted and left.
  void on_message(std::uint64_t position, const Payload& payload);
  // All of the seek epoch has come.
  void end();

  bool pull(Timestamp heard, std::span<float> frames) override;

  // `stretched` and `shrunk` are frames; `delay`, `target` and `jitter` are of no meaning.
  SoundPlayoutStats stats() const;
  std::int64_t jumps() const;

 private:
  void follow(const PlayClock::Now& wanted, Timestamp heard, std::span<float> frames);
  void enter(const PlayClock::Now& wanted, Timestamp heard, std::span<float> frames);
  // Of the next sample.
  Duration place() const { return stretcher_ ? stretched_place_ : line_.place(); }
  // The next turn.
  void play(std::span<float> frames);
  void play_stretched(std::span<float> frames);
  // Of the line, that a turn takes.
  std::size_t take() const;

  const std::shared_ptr<PlayClock> clock_;
  mutable std::mutex mutex_;  // guards all below
  StoredSoundLine line_;
  bool playing_ = false;
  bool begun_anew_ = false;  // what still sounds is of the seek epoch before
  Duration error_{};         // smoothed; positive: sound is ahead
  bool mending_ = false;
  float before_[2] = {0, 0};  // the frame before the next
  double speed_ = 1;
  std::unique_ptr<TimeStretcher> stretcher_;  // null: the speed is 1
  Duration stretched_place_{};                // of its next sample, on average
  std::int64_t stretched_ = 0;
  std::int64_t shrunk_ = 0;
  std::int64_t jumps_ = 0;
};

}  // namespace qvid::media
