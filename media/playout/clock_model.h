// The server's timeline as seen from the player: offset and drift, from arrivals alone.
//
// Source: 000 section 5.1: client and server keep a timeline each, out of phase (network delay) and
// out of rate (hardware clocks); no synchronisation of clocks is assumed, a feedback loop corrects
// both. Model: a frame header leaves the server at  due + 1 frame  on the server's clock, is small
// and first in line, and never arrives before the path's least transit has passed:
//
//   arrival - due - 1 frame >= offset(due) = phase + rate * (due - reference)
//
// offset is the lower envelope of what is observed: queues, lost headers and a late encoder only
// ever add to a sample. Which part of it is transit and which the clocks' difference cannot be told
// from one way, and need not be: only their sum says when a frame is here.
//
//   phase  a sample below the line lowers it at once: nothing arrives before it can. It rises to
//          the least of the latest slots (see below): slots in which something arrived, so that
//          silence is no evidence.
//   rate   the slope of the line below all slots of kRateSlots that is nearest to them: the edge of
//          their lower convex hull over the middle slot (after Moon, Skelly, Towsley, INFOCOM 1999,
//          who take the mean time, which a long silence would pull away). Within kMaxRate: quartz
//          keeps 100 ppm, and NTP slews a steady clock by at most 500. What the rate misses, the
//          phase makes good: a rate wrong by 500 ppm costs 6 ms.
//
// What happens when:
//   the path becomes shorter             at once
//   longer, as another route is          after 4 slots (1 s) of which the least vary by less than a
//                                        quarter of the rise; only rises over half a frame
//   longer than the window, unsteadily   after 16 slots (4 s): nothing is in time, so that playing
//                                        later beats not playing
//   a queue that grows, stays, shrinks   nothing in the least: a queue of seconds is waited out.
//   One
//                                        that stays the same for 1 s is as good as a route
//   a rise that lasts                    after 40 slots (10 s), whatever it is
//   a clock is set, a machine sleeps,    more than kStep off: a step. Earlier: at once. Later: as
//   the server begins anew               above, that is after 1 s. The past is forgotten but for
//   the
//                                        rate, which is the quartz's
//   nothing comes                        nothing, however long
//
// Bounds: kRateSlots slots. Any times are harmless. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <deque>

#include "base/units.h"

namespace qvid::media {

class ClockModel {
 public:
  static constexpr Duration kSlot = std::chrono::milliseconds(250);  // or two frames, if longer
  static constexpr std::size_t kPatienceSlots = 4;
  static constexpr std::size_t kUnplayableSlots = 16;
  static constexpr std::size_t kMemorySlots = 40;
  static constexpr std::size_t kRateSlots = 480;
  static constexpr Duration kLeastForRate = std::chrono::seconds(30);
  static constexpr double kMaxRate = 500e-6;
  static constexpr Duration kStep = std::chrono::milliseconds(500);

  explicit ClockModel(FrameRate rate);

  // A header has come. `due` is on the server's clock, `arrival` on ours; `slack`: how much later
  // than offset() says a header may come and its frame still be decoded. Returns by how much a
  // timeline that plays must move at once (a step, or nothing is in time anyway); zero: whatever
  // changed may be followed smoothly.
  Duration on_header(Timestamp due, Timestamp arrival, Duration slack);

  bool started() const { return !slots_.empty(); }
  // Ours minus the server's clock, with the path's least transit, for a frame due then.
  Duration offset(Timestamp due) const { return phase_ + along(due); }
  // Our clock's seconds per second of the server's, minus one. Positive: ours is faster.
  double rate() const { return rate_; }
  std::int64_t steps() const { return steps_; }

 private:
  // The least sample of a while in which something came.
  struct Slot {
    Timestamp began;  // our clock
    Timestamp due;
    Duration least;  // arrival - due - 1 frame
  };
  struct Range {
    Duration least;
    Duration most;
  };
  Duration along(Timestamp due) const;
  Duration above_line(const Slot& slot) const { return slot.least - offset(slot.due); }
  Range latest(std::size_t slots) const;  // above the line
  Duration rise(Duration slack);
  void keep_latest(std::size_t slots);
  void estimate_rate();

  Duration setup_;
  Duration slot_time_;
  Duration notable_;  // a change of this much is not jitter: half a frame
  std::deque<Slot> slots_;
  Timestamp reference_;
  Duration phase_{};
  double rate_ = 0.0;
  std::int64_t steps_ = 0;
};

}  // namespace qvid::media
