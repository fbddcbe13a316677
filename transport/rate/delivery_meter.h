// How much of its path one stream of messages takes, measured where it is sent: the video of a
// viewer, a seat of a room.
//
// Model: a message that waits for nothing is known to have arrived one round trip after it is
// handed to the transport. The path is busy while any message takes longer, and while one waits
// that is cancelled in the end:
//
//   busy = union of [sent + round trip, ended] over the messages, as a share of the time
//   capacity = bytes that went out / busy time
//
// So capacity is known while the stream takes only a part of it: a frame of a tenth of what the
// path carries is through in a tenth of a frame time. Waiting behind somebody else's packets counts
// as busy: it is not ours to have. The subtraction of the round trip lets it hold for paths on
// which several frames are under way at once.
//
// Why it is enough: pace keeps the socket nearly empty, so what cannot go out yet waits in the send
// queue, where it is seen as time. Messages of a kilobyte on a fast path measure timers more than
// the path: the capacity is then too low, never too high, and who raises the rate sees it grow with
// it.
//
// A message costs constant time: its ticket is its place in a ring, and a reading looks at those of
// kMemory. In steady state nothing is allocated.
//
// Bound: kMostMessages; of more the oldest are forgotten. Pure. Thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ring_buffer.h"
#include "base/units.h"

namespace paceline {

class DeliveryMeter {
 public:
  using ByteCount = qvid::ByteCount;
  using DataRate = qvid::DataRate;
  using Duration = qvid::Duration;
  using Timestamp = qvid::Timestamp;
  // What a message that is sent is known by until it ends.
  using Ticket = std::uint64_t;

  static constexpr Duration kMemory = std::chrono::milliseconds(400);
  static constexpr std::size_t kMostMessages = 4096;

  // `size`: of its payload.
  Ticket on_sent(ByteCount size, Timestamp now);
  // `sent`: of its payload, what went out. `in_time`: all of it arrived before it had to be given
  // up. Of one that was forgotten, or has ended: nothing happens.
  void on_ended(Ticket message, ByteCount sent, bool in_time, Timestamp now);
  // Forgets all, as at a pause.
  void clear();

  struct Reading {
    DataRate rate;      // what went out, over `span`
    double busy = 0;    // share of the span, 0..1
    DataRate capacity;  // zero where nothing ended
    int lost = 0;       // messages that did not arrive in time
    ByteCount offered;  // size of all that were under way at any time of the span
  };
  // Of the last `span`, at most kMemory. `round_trip`: with empty queues.
  Reading read(Timestamp now, Duration span, Duration round_trip) const;

 private:
  struct Message {
    Timestamp sent;
    Timestamp ended = qvid::kNever;
    ByteCount size;
    ByteCount bytes;  // that went out
    bool in_time = true;
  };
  void pop_front();
  void forget_old(Timestamp now);

  qvid::RingBuffer<Message> messages_;  // in order of `sent`
  Ticket first_ = 0;                    // of the front
};

}  // namespace paceline
