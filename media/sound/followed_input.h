// An input at the pace of another one: the turns that were captured kBehind before the time that is
// asked for. Both devices have clocks of their own, and what comes, comes in lumps.
//
//   apart = captured(next frame) - (asked for - kBehind)
//
//   within kAstray   the next frames, as they are: nothing is cut while the clocks agree
//   beyond           they are late: what is too old is left out; early: silence until it is their turn
//
// Bound: kMostHeld of sound; beyond it the oldest goes. Pure, over the input. Thread: one.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "media/sound/sound_device.h"

namespace qvid::media {

class FollowedInput {
 public:
  // What a sound server brings at a time, and its jitter. A picture is not missed by so little.
  static constexpr Duration kBehind = std::chrono::milliseconds(60);
  static constexpr Duration kAstray = std::chrono::milliseconds(20);
  static constexpr Duration kMostHeld = std::chrono::milliseconds(400);

  explicit FollowedInput(std::unique_ptr<SoundInput> input) : input_(std::move(input)) {}

  // kSoundTurn frames, interleaved; mono is doubled. False: silence, written all the same.
  bool pull(Timestamp captured, Timestamp now, std::span<float> stereo);
  Duration held() const { return sound_time(frames()); }

 private:
  void add(const SoundBlock& block);
  void drop(std::int64_t count);
  std::int64_t frames() const { return static_cast<std::int64_t>(held_.size() / 2); }

  std::unique_ptr<SoundInput> input_;
  std::vector<float> held_;  // stereo
  Timestamp end_{};          // of what is held
};

}  // namespace qvid::media
