// How late sound must be played so that packets are there when they are due.
//
//   transit = least (arrival - captured - duration)      the path's, and the clocks' difference
//   latency = least (heard - arrival)                    of the output
//   base    = transit + latency + duration               no packet can be heard with less lag
//   need    = heard - captured                           of a packet: the lag that is in time
//   needed  = base + max of (need - base) * weight       weight: 1 for kHold, then to 0 at kMemory
//
// `heard` is of the first turn given after the packet came, so that the output's latency and its
// turns are in it. A late packet counts at once and in full: over TCP lateness comes in bursts, and
// what has come once comes again within seconds. A packet that has not come counts too, as late as
// it is by the time its follower is here: a sender cancels what would be late.
//
// What came within kStart of the first packet is forgotten kHaste times sooner: connections that
// have just been made, and an encoder that begins, are late once.
//
// transit is the least of the latest kLeastSlots slots in which something came: silence is no
// evidence. It falls at once and rises after that many. What is more than kOutage late is an outage
// and no reason to wait for the next one, nor is what was queued behind it; where that lasts, a
// clock has stepped, and what was known is forgotten. So it is where a packet comes that much too
// early.
//
// Bound: kMostSlots slots. Any times are harmless. Pure. Thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/sliding_minimum.h"
#include "base/units.h"

namespace qvid::media {

class JitterMeter {
 public:
  static constexpr Duration kSlot = std::chrono::milliseconds(500);
  static constexpr std::size_t kMostSlots = 64;
  static constexpr std::size_t kLeastSlots = 20;
  static constexpr Duration kHold = std::chrono::seconds(10);
  static constexpr Duration kMemory = std::chrono::seconds(30);
  static constexpr Duration kOutage = std::chrono::seconds(2);
  static constexpr Duration kStart = std::chrono::seconds(2);
  static constexpr int kHaste = 5;
  static constexpr Duration kOutagePatience = std::chrono::seconds(1);

  // False: a clock has stepped, and this is the first packet after it.
  bool on_packet(Timestamp captured, Duration duration, Timestamp arrival, Timestamp heard);
  // What was captured then has not come by now.
  void on_missing(Timestamp captured, Timestamp heard);
  // A packet that waited because nothing was taken from us: of its transit alone.
  void on_unheard(Timestamp captured, Duration duration, Timestamp arrival);
  void reset();

  bool started() const { return !slots_.empty(); }
  // Precondition of these: started.
  Duration transit() const { return transit_.least(); }
  Duration latency() const {
    return latency_.least() == Duration::max() ? Duration() : latency_.least();
  }
  Duration base() const { return transit() + latency() + duration_; }
  Duration needed(Timestamp heard) const;

 private:
  // A while in which something came.
  struct Slot {
    Timestamp began{};
    int haste = 1;
    std::optional<Duration> need{};
  };
  void begin_slot(Timestamp at);
  void add_need(Duration need, Timestamp heard);

  std::deque<Slot> slots_;
  std::optional<Timestamp> first_;
  SlidingMinimum<Duration> transit_{kSlot, kLeastSlots};
  SlidingMinimum<Duration> latency_{kSlot, kLeastSlots};  // Duration::max(): not known
  Duration duration_{};
  // All that came since then was more than kOutage late.
  std::optional<Timestamp> outage_;
  // Until then what is late is what an outage held up.
  std::optional<Timestamp> recovering_;
};

}  // namespace qvid::media
