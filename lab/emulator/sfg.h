// SFG, the stochastic fairness guardian (thesis 004, algorithm 4): in front of any queue, drops the
// packets of flows that take more than their share, without knowing a flow.
//
//   level 1   [   ][ x ][   ]..[   ]   N bins a level; a hash of the flow chooses its bin in each,
//   level 2   [   ][   ][   ]..[ x ]   so that who shares a bin with a greedy flow in one level
//   level 3   [ x ][   ][   ]..[   ]   hardly does so in all
//
//   every d_s:  prob[i][j] <- max(0, (bytes[i][j] - d_s C / N) / bytes[i][j]);  bytes[i][j] <- 0
//   on arrival: bytes[i][hash_i] += size;  dropped with p = min over i of prob[i][hash_i]
//
// Each epoch has fresh hashes, so that bad luck lasts for one: the bytes are collected in the bins
// in which they will be looked up in the next epoch, and looked up in those of the last.
//
// It drops only while the link is congested: on above a congestion notification rate of 2%, off
// under 1%, where each epoch's rate is p_n = p_d + (1 - p_d) p_e (eq. 4.12), p_d the share that it
// drops itself and p_e what the inner queue marks or drops: as that says, or else counted.
//
// SFG over drop-tail is the thesis's "SFG", over ARC its "SFA". Bound: the inner queue's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "lab/emulator/epoch_clock.h"
#include "lab/emulator/packet_queue.h"

namespace qvid::lab {

class FlowKey;

struct SfgParameters {
  std::size_t levels = 3;   // L
  std::size_t bins = 20;    // N
  Duration epoch = 2s;      // d_s: twice the longest usual round trip
  double on_above = 0.02;   // m_h
  double off_under = 0.01;  // m_l
  // Of the newest epoch in the average rate. The thesis says that it averages, not how.
  double newest = 0.5;
};

// N for a link: as many as it has TCP-friendly rates at the rate m_l of congestion, with packets of
// 1500 bytes and a round trip of 300 ms (eq. 4.13): 0.49 Mbit/s; 20 at 10 Mbit/s. At least 4, below
// which every flow shares its bins; at most 4096.
std::size_t sfg_bins(DataRate capacity);

// How likely a flow shares its bins in all levels with misbehaving ones: (E_w / N)^L (eq. 4.11),
// E_w the bins of a level that B of them are expected to be in. E_w = N (1 - (1 - 1/N)^B), to which
// the sum in the thesis comes.
double sfg_false_positives(std::size_t levels, std::size_t bins, int misbehaving);

class Sfg : public PacketQueue {
 public:
  Sfg(std::unique_ptr<PacketQueue> inner, DataRate capacity, std::uint64_t seed,
      const SfgParameters& parameters);

  void push(Packet packet, Timestamp now) override;
  std::optional<Packet> pop(Timestamp now) override;
  ByteCount bytes() const override { return inner_->bytes(); }
  // The share of a bin follows from the running epoch on; the number of bins stays.
  void set_capacity(DataRate capacity, Timestamp now) override;

  bool on() const { return on_; }
  double notification_rate() const { return notification_rate_; }  // average
  // With which a packet of this flow would be dropped in this epoch, if the filter is on.
  double drop_probability(std::span<const std::byte> ip) const;

 private:
  struct Level {
    std::uint64_t lookup = 0;  // secrets of the hashes
    std::uint64_t collect = 0;
    std::vector<double> probability;  // by lookup
    std::vector<std::int64_t> bytes;  // by collect
  };

  void advance(Timestamp now);
  void end_epoch();
  double drop_probability(const FlowKey& key) const;
  std::size_t bin(const FlowKey& key, std::uint64_t secret) const;
  void count_inner();

  std::unique_ptr<PacketQueue> inner_;
  SfgParameters parameters_;
  DataRate capacity_;
  EpochClock clock_;
  std::mt19937_64 random_;
  std::vector<Level> levels_;
  bool on_ = false;
  double notification_rate_ = 0;
  std::uint64_t own_drops_ = 0;
  // Of the running epoch.
  std::uint64_t arrived_ = 0;
  std::uint64_t filtered_ = 0;
  std::uint64_t notified_before_ = 0;  // what the inner queue had dropped and marked
};

}  // namespace qvid::lab
