// Random early detection (Floyd and Jacobson, 1993) with the gentle option and ECN: marks or drops
// with a probability that grows with the average queue.
//
//   on arrival:  avg <- avg + w (q - avg);   after an idle time t:  avg <- avg (1 - w)^(t / s)
//   p_b = 0                                       avg < min
//         max_p (avg - min) / (max - min)         min <= avg < max
//         max_p + (1 - max_p) (avg - max) / max   max <= avg < 2 max   (gentle)
//         1                                       from there on
//   p_a = p_b / (1 - count p_b), count: packets since the last that was marked or dropped
//
// with s the time of a packet of 1000 bytes. The queue is counted in bytes, the probability is that
// of a packet whatever its size (RFC 7141). Bound: `limit` bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "lab/emulator/packet_fifo.h"
#include "lab/emulator/packet_queue.h"

namespace qvid::lab {

struct RedThresholds {
  ByteCount min;
  ByteCount max;
  double max_p = 0.15;
};

// The thesis's RED (section 4.2.3) has 50 and 300 packets of a queue of 500: a tenth and six
// tenths, here of any limit.
RedThresholds red_thresholds(ByteCount limit);

// w of a link: the thesis's 0.002 at 10 Mbit/s is an average over 0.4 s, and stays one at any rate:
// w = 1 - exp(-s / 0.4 s), the form of Adaptive RED (Floyd, Gummadi, Shenker 2001).
double red_weight(DataRate capacity);

class Red : public PacketQueue {
 public:
  Red(ByteCount limit, DataRate capacity, std::uint64_t seed)
      : fifo_(limit),
        thresholds_(red_thresholds(limit)),
        weight_(red_weight(capacity)),
        random_(seed) {}

  void push(Packet packet, Timestamp now) override;
  std::optional<Packet> pop(Timestamp now) override;
  ByteCount bytes() const override { return fifo_.bytes(); }
  void set_capacity(DataRate capacity, Timestamp now) override;

  double average() const { return average_; }  // of the queue, bytes

 private:
  enum class Verdict { kPass, kMark, kDrop };
  void update_average(Timestamp now);
  double base_probability() const;  // p_b
  Verdict verdict();

  PacketFifo fifo_;
  RedThresholds thresholds_;
  double weight_;
  std::mt19937_64 random_;
  double average_ = 0;
  std::int64_t count_ = -1;  // -1: the average was below min
  std::optional<Timestamp> idle_since_;
};

}  // namespace qvid::lab
