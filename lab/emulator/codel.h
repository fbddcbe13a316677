// CoDel, controlled delay (RFC 8289, sections 4 and 5): drops or marks, when a packet leaves, while
// the shortest wait of an interval stays above the target.
//
//   The n-th drop of a bad time comes interval / sqrt(n) after the one before.
//
// A packet that can be marked is marked in place of the drop, and sent. The RFC's pseudocode only
// drops; this is how Linux's sch_codel marks. Bound: `limit` bytes; what does not fit is dropped.
#pragma once

#include <cstdint>
#include <optional>

#include "lab/emulator/packet_fifo.h"
#include "lab/emulator/packet_queue.h"

namespace qvid::lab {

class Codel : public PacketQueue {
 public:
  static constexpr Duration kTarget = 5ms;
  static constexpr Duration kInterval = 100ms;
  // No more than this waiting is no standing queue, however long it took: slow links.
  static constexpr ByteCount kMaxPacket = 1500_B;

  explicit Codel(ByteCount limit) : fifo_(limit) {}

  // `arrived` of the packet is the time from which it waits.
  void push(Packet packet, Timestamp now) override;
  std::optional<Packet> pop(Timestamp now) override;
  ByteCount bytes() const override { return fifo_.bytes(); }
  // What waits beside it for the same link, in other queues: no more than kMaxPacket in all is short.
  void set_beside(ByteCount bytes) { beside_ = bytes; }
  // The one that has waited the longest, for who needs the room. Precondition: there is one.
  void drop_first();

 private:
  // The next packet, and whether the wait has been too long for an interval.
  struct Next {
    std::optional<Packet> packet;
    bool too_long = false;
  };
  Next take(Timestamp now);
  // True where it was marked and is to be sent; else it is dropped.
  bool notify(Packet& packet);
  Timestamp control_law(Timestamp from) const;

  PacketFifo fifo_;
  ByteCount beside_;
  std::optional<Timestamp> too_long_at_;  // when the wait will have been too long for an interval
  bool dropping_ = false;
  Timestamp next_drop_{};
  std::int64_t count_ = 0;       // drops of this bad time
  std::int64_t last_count_ = 0;  // count_ when the bad time began
};

}  // namespace qvid::lab
