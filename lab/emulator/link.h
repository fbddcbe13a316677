// One direction of an emulated link: queue, transmitter, random loss, propagation.
//
//   push -> [filter, policer] -> [queue] -> transmitter (rate) -> [loss] -> pipe (delay) -> pop
//                                                       [again, later]
//
// Sans-I/O, in virtual time. Whatever happens inside happens at times computed from the times
// before, never at the time of the call that brings it about: a packet is due at
//   due = end of its transmission + delay,
//   end = begin + size/rate, begin = max(arrival, end of the one before),
// or at the next end of `aggregate`, and later by the longer way of its port.
// So a shell that calls late hands packets on late (counted as lateness) and changes nothing else:
// not the rate, not the queue, not what is dropped. Transmission is integer arithmetic in bits
// times nanoseconds, without rounding: over any busy period the rate is exact.
//
// Bounds: the queue's own; the pipe holds kMaxPipe bytes, what exceeds it is dropped and counted.
// Thread: its user's. `now` should not go back; where it does, the link's own time counts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "base/duration_histogram.h"
#include "base/ring_buffer.h"
#include "base/token_bucket.h"
#include "lab/emulator/link_spec.h"
#include "lab/emulator/packet_queue.h"
#include "lab/emulator/rate_schedule.h"

namespace qvid::lab {

struct LinkStats {
  std::uint64_t packets = 0;  // that came
  std::uint64_t bytes = 0;
  std::uint64_t delivered = 0;
  std::uint64_t delivered_bytes = 0;
  std::uint64_t queue_drops = 0;
  std::uint64_t queue_marks = 0;
  std::uint64_t lost = 0;           // at random
  std::uint64_t reordered = 0;      // that came later
  std::uint64_t duplicated = 0;     // that came twice
  std::uint64_t policed = 0;        // beyond the policer's rate
  std::uint64_t udp_drops = 0;      // on a link that lets no UDP through, or little
  std::uint64_t flow_drops = 0;     // by drop_flow
  std::uint64_t pipe_overflow = 0;  // more in flight than kMaxPipe
  ByteCount max_queue;
  DurationHistogram waiting;   // from arrival to the begin of transmission
  DurationHistogram lateness;  // from due to handed on
};

class Link {
 public:
  static constexpr ByteCount kMaxPipe = 64_MiB;
  static constexpr std::size_t kMaxFlowRules = 64;  // the oldest makes room

  Link(const DirectionSpec& spec, std::unique_ptr<PacketQueue> queue, Timestamp start);
  Link(const DirectionSpec& spec, Timestamp start) : Link(spec, make_queue(spec), start) {}

  void push(std::vector<std::byte> bytes, Timestamp now);
  // The next packet that is due by `now`, if there is one.
  std::optional<Packet> pop(Timestamp now);
  // Until when nothing can become due unless something is pushed or changed; kNever where the link
  // is empty.
  Timestamp next_event() const;

  // From `now` on. The packet in transmission goes on at the new rate. Precondition: rate > 0.
  void set_rate(DataRate rate, Timestamp now);
  // For what is sent from `now` on; order is kept.
  void set_delay(Duration delay, Timestamp now);
  void set_loss(double share, Timestamp now);
  void outage(Duration length, Timestamp now);
  // Drops the TCP and UDP packets that come during `length` with this port at either end.
  void drop_flow(std::uint16_t port, Duration length, Timestamp now);

  LinkStats stats() const;
  // What happens from `now` on counts anew: also what becomes of packets that came before, so that
  // more may be delivered than came.
  void reset_stats(Timestamp now);

 private:
  struct FlowRule {
    std::uint16_t port;
    Timestamp until;
  };
  struct Segment {
    DataRate rate;
    Timestamp until;
  };

  void advance(Timestamp to);
  // Tells the queue a new capacity. Called where a packet comes or its transmission begins, never
  // because the shell looked: a late shell changes nothing.
  void tell_capacity();
  void begin_next();
  void finish();
  Segment segment() const;  // at clock_
  bool filtered(const std::vector<std::byte>& bytes);
  bool refuses_udp(std::size_t size);
  bool policed(std::size_t size);
  Duration longer_way(const Packet& packet) const;
  // In the pipe from here on.
  void hand_on(Packet packet);

  RateSchedule schedule_;
  Duration delay_;
  double loss_;
  const DisorderSpec disorder_;
  const UdpSpec udp_;
  TokenBucket udp_bucket_;  // of bytes
  const std::optional<PolicerSpec> policer_;
  TokenBucket policer_bucket_;  // of bytes
  const Duration aggregate_;
  const std::map<std::uint16_t, Duration> longer_ways_;  // by target port
  std::unique_ptr<PacketQueue> queue_;
  DataRate capacity_;  // that it knows
  std::mt19937_64 random_;
  std::mt19937_64 others_;  // for what is not lost
  Timestamp start_;
  Timestamp clock_;  // all before this has happened
  Timestamp outage_until_;
  std::vector<FlowRule> flow_rules_;

  std::optional<Packet> sending_;
  std::int64_t work_ = 0;    // what is left of it, bits · 1e9: the rate times nanoseconds
  std::int64_t credit_ = 0;  // the last nanosecond's rest, for a packet that follows at once

  RingBuffer<Packet> pipe_;
  std::multimap<Timestamp, Packet> later_;  // of the pipe, those that are not in its order, by due
  ByteCount pipe_bytes_;
  Timestamp last_due_;
  LinkStats stats_;
  std::uint64_t drops_before_ = 0;  // the queue's, at the last reset
  std::uint64_t marks_before_ = 0;
};

}  // namespace qvid::lab
