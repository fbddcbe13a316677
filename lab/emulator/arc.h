// ARC, the aggregate rate controller (thesis 004, algorithm 2), with its extension for FAST
// (algorithm 3): marks or drops with a probability that integrates how far the rate of arrivals is
// from a share of the link's. Every d:
//
//   q_v <- clamp(q_v + b - gamma (d C - (q - q_0)), 0, 1 / alpha);   b <- 0
//   p = alpha q_v for TCP,   p = 1 - phi^(-q_v / (gamma C)) for FAST
//
// b: bytes that came and were not dropped by p; q: bytes that wait; C: the link's bytes a second.
// Without FAST that is algorithm 2, p being clamped to [0, 1].
//
// The thesis's alpha is that of its analysis, in which all is counted in packets of 1000 bytes: it
// applies to thousands of bytes. Where the printed p_fast is phi^(-price), REM (Athuraliya, Low et
// al., 2001) and the meaning of the marks want 1 - phi^(-price), as here.
// Bound: `limit` bytes; what does not fit is dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>

#include "lab/emulator/epoch_clock.h"
#include "lab/emulator/packet_fifo.h"
#include "lab/emulator/packet_queue.h"

namespace qvid::lab {

struct ArcParameters {
  Duration interval = 1s;     // d: the longest round trip to support
  double utilisation = 0.98;  // gamma
  ByteCount target;           // q_0
  // phi. FAST's price is the wait of a virtual queue; a second of it marks one packet of eleven. No
  // source gives a number.
  double phi = 1.1;
};

// What alpha should be well below, so that a few flows with a long round trip are stable still
// (004 eq. 4.9): 4 N^2 / (tau^3 gamma^2 C^2), C in packets of 1000 bytes a second.
double arc_alpha_bound(DataRate capacity, double utilisation, int fewest_flows,
                       Duration longest_round_trip);

// alpha for a link: the thesis's 1.42e-5 at 10 Mbit/s, and at other rates the same share (43%) of
// the bound for the thesis's fragile system, 10 flows with a round trip of 2 s.
double arc_alpha(DataRate capacity);

// FAST's packets have DSCP 3, one of those for local use (RFC 2474, section 6, pool 2): nothing in
// a packet of FAST TCP says that it is one. All others are answered as TCP's, UDP among them.
inline constexpr std::uint8_t kFastDscp = 3;
bool is_fast(std::span<const std::byte> ip);

class Arc : public PacketQueue {
 public:
  Arc(ByteCount limit, DataRate capacity, std::uint64_t seed, const ArcParameters& parameters = {});

  void push(Packet packet, Timestamp now) override;
  std::optional<Packet> pop(Timestamp now) override;
  ByteCount bytes() const override { return fifo_.bytes(); }
  // p stays; from the running interval on it changes by the new rate.
  void set_capacity(DataRate capacity, Timestamp now) override;
  std::optional<double> notification_probability() const override { return p_; }

  double fast_probability() const { return p_fast_; }

 private:
  void advance(Timestamp now);
  double bytes_a_second() const { return static_cast<double>(capacity_.bps()) / 8; }
  void update_probabilities();

  ArcParameters parameters_;
  PacketFifo fifo_;
  DataRate capacity_;
  double alpha_;  // a byte
  EpochClock clock_;
  std::mt19937_64 random_;
  ByteCount arrived_;         // b
  double virtual_queue_ = 0;  // q_v, bytes
  double p_ = 0;
  double p_fast_ = 0;
};

}  // namespace qvid::lab
