// How much of its path one viewer's video takes, measured where it is sent.
//
// Model: a unit that waits for nothing is known to have arrived one round trip after it is handed
// to the transport. The path is busy while any unit takes longer, and while one waits that is
// cancelled in the end:
//
//   busy = union of [sent + round trip, ended] over the units, as a share of the time
//   capacity = bytes that went out / busy time
//
// So capacity is known while the video takes only a part of it: a frame of a tenth of what the path
// carries is through in a tenth of a frame time. Waiting behind somebody else's packets counts as
// busy: it is not ours to have. The subtraction of the round trip lets it hold for paths on which
// several frames are under way at once.
//
// Why it is enough: pace keeps the socket nearly empty, so what cannot go out yet waits in the send
// queue, where it is seen as time. Frames of a kilobyte on a fast path measure timers more than the
// path: the capacity is then too low, never too high, and who raises the rate sees it grow with it.
//
// Bound: kMostUnits. Pure. Thread: one at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "base/units.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

class DeliveryMeter {
 public:
  static constexpr Duration kMemory = std::chrono::milliseconds(400);
  static constexpr std::size_t kMostUnits = 4096;

  void on_sent(UnitKey unit, Timestamp now);
  // `sent`: of its payload, what went out. `in_time`: all of it arrived before it had to be given
  // up.
  void on_ended(UnitKey unit, ByteCount sent, bool in_time, Timestamp now);
  // Forgets all, as at a pause.
  void clear();

  struct Reading {
    DataRate rate;      // what went out, over `span`
    double busy = 0;    // share of the span, 0..1
    DataRate capacity;  // zero where nothing ended
    int lost = 0;       // units that did not arrive in time
  };
  // Of the last `span`, at most kMemory. `round_trip`: with empty queues.
  Reading read(Timestamp now, Duration span, Duration round_trip) const;

 private:
  struct Unit {
    UnitKey key;
    Timestamp sent;
    Timestamp ended = kNever;
    ByteCount bytes;
    bool in_time = true;
  };
  void forget_old(Timestamp now);

  std::deque<Unit> units_;  // in order of `sent`
};

}  // namespace qvid::media
