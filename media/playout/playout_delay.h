// How long after its capture a live picture is shown: as soon as pictures are there, measured.
//
//   need   = arrival - captured - offset     of a unit; the path's least transit (clock_model.h) left
//                                            aside, so encoding, queueing and repairs are in it
//   base   = what bases needed at most, by half seconds; of kSlots of them the second least
//   whole  = the same of what the highest layers needed
//   target = max(base, min(whole, base + 1 frame)) + decoding + kMargin, at most most()
//
// A low rank of maxima: temporal layers differ in size, and the largest is every fourth frame, so a
// quantile over frames would miss it. What comes in nearly every half second is waited for. What
// comes now and then (a lost packet, a fall of the rate) is shown when it comes (playback_engine.h):
// waiting for it would make every picture older. With the median instead, 2 % loss at 60 ms made the
// delay 162 ms.
//
//   mode    target                                   source
//   early   as above                                 the default
//   smooth  the most of kSmoothSlots                 even intervals before an early picture
//   fixed   1 + N + 2 frames, whatever is seen       000 section 5.1: the papers' timeline
//
// The deadline (N frames, the transmit window) is the sender's and does not follow: it bounds the
// target, for what needs more is given up there.
//
// Bounds: kSmoothSlots slots, kSlots of them looked at a frame. Any times are harmless. Pure.
// Thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/units.h"

namespace qvid::media {

enum class PlayoutMode : std::uint8_t { kEarly, kSmooth, kFixed };

class PlayoutDelay {
 public:
  static constexpr Duration kSlot = std::chrono::milliseconds(500);
  static constexpr std::size_t kSlots = 6;
  static constexpr std::size_t kSmoothSlots = 20;
  // A timer's lateness and the hand-over to the thread that shows.
  static constexpr Duration kMargin = std::chrono::milliseconds(2);
  static constexpr Duration kStep = std::chrono::milliseconds(500);
  // Decoding that takes longer is a machine that cannot, and no reason to wait.
  static constexpr Duration kMostDecoding = std::chrono::milliseconds(50);

  // `window`: transmit window in frames, kMinWindow..kMaxWindow.
  PlayoutDelay(FrameRate rate, PlayoutMode mode, int window)
      : rate_(rate), mode_(mode), window_(window) {}

  // The base of a frame has come, or has not when it had been waited for that long; its highest
  // layer has come; a frame was decoded within `took`.
  void on_base(Duration need, Timestamp now);
  void on_whole(Duration need, Timestamp now);
  void on_decoded(Duration took, Timestamp now);
  // The offset that needs are counted from has risen by that. More than kStep: a clock was set, and
  // what is known is forgotten.
  void on_offset_risen(Duration by);

  Duration target() const;
  // The target is never more: later than that nothing is in time at the sender.
  Duration most() const;
  // How long before its time a frame is decoded, whatever has come of it.
  Duration decoding() const;

  PlayoutMode mode() const { return mode_; }
  // What base and whole are by now; zero: nothing has come.
  Duration base_need() const;
  Duration whole_need() const;

 private:
  struct Slot {
    Timestamp began;
    Duration base{};  // the most, as the others
    Duration whole{};
    Duration decoding{};
  };
  Slot& slot_at(Timestamp now);
  Duration over_slots(Duration Slot::*value) const;

  FrameRate rate_;
  PlayoutMode mode_;
  int window_;
  std::deque<Slot> slots_;
};

}  // namespace qvid::media
