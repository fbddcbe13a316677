// Decoded sound on its way to the output: stereo frames in order, each of an instant of capture.
//
// What was taken last stays for a while (kPast), so that playing may step back to where it goes on
// best. Bound: its user's; a fraction of a second. Thread: one at a time. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/units.h"
#include "media/sound/sound_block.h"

namespace qvid::media {

class SoundPlayoutLine {
 public:
  static constexpr std::size_t kPast = kSoundTurn * 2;  // frames
  // -50 dB: a pause in speech, in which frames may be left out or repeated.
  static constexpr float kQuiet = 0.0032F;

  enum class Kind : std::uint8_t {
    kSound,
    kSilence,  // that was not sent
    kMissing,  // in the place of what is not there
  };

  void add(Timestamp captured, Kind kind, std::span<const float> stereo);
  void clear();

  std::size_t frames() const { return samples_.size() / 2 - head_; }
  // Of the first frame. Precondition of these two: not empty.
  Timestamp front() const { return pieces_.front().captured + sound_time(pieces_.front().taken); }
  Kind kind() const { return pieces_.front().kind; }
  // The next so many frames are there, and quiet.
  bool quiet(std::size_t frames) const;
  // Precondition: there are so many frames from there; negative: of the past, at least -past().
  void copy(std::int64_t from, std::span<float> stereo) const;
  std::size_t past() const { return head_; }
  // Precondition: there are so many; and of the second: so many past, and one to come.
  void drop(std::size_t frames);
  void step_back(std::size_t frames);

 private:
  // A turn at most.
  struct Piece {
    Timestamp captured{};
    Kind kind{};
    bool quiet = false;
    std::int64_t frames = 0;
    std::int64_t taken = 0;  // negative where it was stepped back
  };

  std::vector<float> samples_;
  std::size_t head_ = 0;  // frames that were taken
  std::deque<Piece> pieces_;
};

}  // namespace qvid::media
