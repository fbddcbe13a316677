#include "lab/emulator/arc.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/emulator/ecn.h"
#include "lab/emulator/uniform.h"

namespace qvid::lab {
namespace {

constexpr double kPacketBytes = 1000;
constexpr double kThesisAlpha = 1.42e-5;
constexpr double kThesisBps = 10e6;

double value(ByteCount bytes) { return static_cast<double>(bytes.value()); }

}  // namespace

double arc_alpha_bound(DataRate capacity, double utilisation, int fewest_flows,
                       Duration longest_round_trip) {
  const double packets = static_cast<double>(capacity.bps()) / 8 / kPacketBytes;
  const double tau = to_seconds(longest_round_trip);
  return 4.0 * fewest_flows * fewest_flows /
         (tau * tau * tau * utilisation * utilisation * packets * packets);
}

double arc_alpha(DataRate capacity) {
  const double ratio = kThesisBps / static_cast<double>(capacity.bps());
  return kThesisAlpha * ratio * ratio;
}

bool is_fast(std::span<const std::byte> ip) {
  return traffic_class_of(ip).value_or(0) >> 2 == kFastDscp;
}

Arc::Arc(ByteCount limit, DataRate capacity, std::uint64_t seed, const ArcParameters& parameters)
    : parameters_(parameters),
      fifo_(limit),
      capacity_(capacity),
      alpha_(arc_alpha(capacity) / kPacketBytes),
      clock_(parameters.interval),
      random_(seed) {}

void Arc::update_probabilities() {
  virtual_queue_ = std::clamp(virtual_queue_, 0.0, 1 / alpha_);
  p_ = std::min(1.0, alpha_ * virtual_queue_);
  const double price = virtual_queue_ / (parameters_.utilisation * bytes_a_second());  // seconds
  p_fast_ = 1 - std::pow(parameters_.phi, -price);
}

void Arc::advance(Timestamp now) {
  const std::int64_t intervals = clock_.ended(now);
  if (intervals == 0) return;
  // Since the last packet nothing came and nothing left: b = 0 in all intervals but the first, and
  // all change q_v by the same. Clamping once is then the same as clamping each time.
  const double drained =
      parameters_.utilisation * (to_seconds(parameters_.interval) * bytes_a_second() -
                                 value(fifo_.bytes() - parameters_.target));
  virtual_queue_ = std::clamp(virtual_queue_ + value(arrived_) - drained, 0.0, 1 / alpha_);
  virtual_queue_ -= static_cast<double>(intervals - 1) * drained;
  arrived_ = ByteCount();
  update_probabilities();
}

void Arc::set_capacity(DataRate capacity, Timestamp now) {
  advance(now);
  if (capacity == capacity_) return;
  capacity_ = capacity;
  alpha_ = arc_alpha(capacity) / kPacketBytes;
  virtual_queue_ = p_ / alpha_;
  update_probabilities();
}

void Arc::push(Packet packet, Timestamp now) {
  advance(now);
  const bool chosen = uniform(random_) < (is_fast(packet.bytes) ? p_fast_ : p_);
  const bool marked = chosen && mark_congestion(packet.bytes);
  if (chosen && !marked) {
    ++dropped_;
    return;
  }
  // Also where it does not fit: it was asked for.
  arrived_ += packet.size();
  if (!fifo_.push(std::move(packet))) {
    ++dropped_;
  } else if (marked) {
    ++marked_;
  }
}

std::optional<Packet> Arc::pop(Timestamp now) {
  advance(now);
  return fifo_.pop();
}

}  // namespace qvid::lab
