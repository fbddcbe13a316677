// When the player decodes and shows a frame, without any agreement of clocks.
//
// Model: a frame header leaves the sender at  due + 1 frame  on the sender's clock and is small and
// first in line, so the earliest of recent arrivals is the path's own transit plus the (unknown)
// offset of the clocks:
//
//   offset = min over the last kMemory of (arrival - due - 1 frame)
//   decode(n) = due(n) + 1 frame + offset + N frames        (the expire event, as seen from here)
//   show(n)   = decode(n) + 2 frames
//
// A path that has become longer makes every frame late; where none has come within the window for
// kPatience, the older arrivals are forgotten: playing later beats not playing.
//
// Why it is enough: live frames come 30 times a second, so the minimum is fresh; drift of ± 200 ppm
// moves it by 2 ms in kMemory. Capture-to-screen delay needs the transit alone, for which half of
// the smallest round trip stands.
//
// Bound: one value per kSlot. Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <deque>

#include "base/units.h"
#include "media/live_timeline.h"

namespace qvid::media {

class PlayoutClock {
 public:
  static constexpr Duration kMemory = std::chrono::seconds(10);
  static constexpr Duration kPatience = std::chrono::seconds(1);
  static constexpr Duration kSlot = std::chrono::milliseconds(500);

  PlayoutClock(FrameRate rate, int window) : rate_(rate), window_(window) {}

  // A frame header has come. `due` is on the sender's clock.
  void on_header(Timestamp due, Timestamp arrival) {
    const Duration sample = arrival - due - rate_.time_of(kSetupFrames);
    if (slots_.empty() || arrival >= slots_.back().began + kSlot) {
      slots_.push_back({arrival, sample});
    } else {
      slots_.back().least = std::min(slots_.back().least, sample);
    }
    while (slots_.front().began + kMemory < arrival) slots_.pop_front();
    offset_ = least_since(Timestamp::min());
    // Slots that reach into the last kPatience.
    const Timestamp tried = arrival - kPatience - kSlot;
    const Duration recent = least_since(tried);
    if (slots_.front().began < tried && recent > offset_ + rate_.time_of(window_)) {
      while (slots_.front().began < tried) slots_.pop_front();
      offset_ = recent;
    }
  }

  bool started() const { return !slots_.empty(); }
  Timestamp decode_time(Timestamp due) const {
    return due + rate_.time_of(kSetupFrames + window_) + offset_;
  }
  Timestamp show_time(Timestamp due) const {
    return decode_time(due) + rate_.time_of(kDecodeFrames);
  }
  // From capture (on the sender's clock) to `shown` (on ours).
  Duration delay(Timestamp captured, Timestamp shown, Duration least_round_trip) const {
    return shown - offset_ + least_round_trip / 2 - captured;
  }

 private:
  struct Slot {
    Timestamp began;
    Duration least;
  };
  Duration least_since(Timestamp began) const {
    Duration least = Duration::max();
    for (const Slot& s : slots_) {
      if (s.began >= began) least = std::min(least, s.least);
    }
    return least;
  }

  FrameRate rate_;
  int window_;
  Duration offset_{};
  std::deque<Slot> slots_;
};

}  // namespace qvid::media
