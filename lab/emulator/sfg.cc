#include "lab/emulator/sfg.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/emulator/flow_key.h"
#include "lab/emulator/uniform.h"

namespace qvid::lab {
namespace {

constexpr std::size_t kFewestBins = 4;
constexpr std::size_t kMostBins = 4096;
// After so many epochs without a packet all bins are empty and the average rate is what the inner
// queue says, or none: the rest of a long rest makes no difference.
constexpr std::int64_t kMostEpochs = 64;

}  // namespace

std::size_t sfg_bins(DataRate capacity) {
  constexpr double kPacketBits = 1500 * 8;
  constexpr double kRoundTrip = 0.3;  // s
  constexpr double kRate = 0.01;      // m_l
  const double friendly = 1.5 * std::sqrt(2.0 / 3) * kPacketBits / (kRoundTrip * std::sqrt(kRate));
  const double bins = std::round(static_cast<double>(capacity.bps()) / friendly);
  return std::clamp(static_cast<std::size_t>(bins), kFewestBins, kMostBins);
}

double sfg_false_positives(std::size_t levels, std::size_t bins, int misbehaving) {
  const double clean = std::pow(1 - 1 / static_cast<double>(bins), misbehaving);
  return std::pow(1 - clean, static_cast<double>(levels));
}

Sfg::Sfg(std::unique_ptr<PacketQueue> inner, DataRate capacity, std::uint64_t seed,
         const SfgParameters& parameters)
    : inner_(std::move(inner)),
      parameters_(parameters),
      capacity_(capacity),
      clock_(parameters.epoch),
      random_(seed),
      levels_(parameters.levels) {
  for (Level& level : levels_) {
    level.lookup = random_();
    level.collect = random_();
    level.probability.resize(parameters.bins);
    level.bytes.resize(parameters.bins);
  }
}

std::size_t Sfg::bin(const FlowKey& key, std::uint64_t secret) const {
  return static_cast<std::size_t>((key.hash(secret) >> 32) * parameters_.bins >> 32);
}

double Sfg::drop_probability(const FlowKey& key) const {
  double p = 1;
  for (const Level& level : levels_) p = std::min(p, level.probability[bin(key, level.lookup)]);
  return p;
}

double Sfg::drop_probability(std::span<const std::byte> ip) const {
  return drop_probability(FlowKey::of(ip));
}

void Sfg::end_epoch() {
  const double share = static_cast<double>(capacity_.bps()) / 8 * to_seconds(parameters_.epoch) /
                       static_cast<double>(parameters_.bins);
  for (Level& level : levels_) {
    for (std::size_t j = 0; j < parameters_.bins; ++j) {
      const auto bytes = static_cast<double>(level.bytes[j]);
      level.probability[j] = bytes > share ? (bytes - share) / bytes : 0;
      level.bytes[j] = 0;
    }
    level.lookup = level.collect;
    level.collect = random_();
  }

  const auto ratio = [](std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return 0.0;
    return std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
  };
  const std::uint64_t notified = inner_->dropped() + inner_->marked();
  const double own = ratio(filtered_, arrived_);
  const double inner = inner_->notification_probability().value_or(
      ratio(notified - notified_before_, arrived_ - filtered_));
  const double rate = own + (1 - own) * inner;
  notification_rate_ += parameters_.newest * (rate - notification_rate_);
  if (notification_rate_ > parameters_.on_above) on_ = true;
  if (notification_rate_ < parameters_.off_under) on_ = false;
  arrived_ = 0;
  filtered_ = 0;
  notified_before_ = notified;
}

void Sfg::advance(Timestamp now) {
  for (std::int64_t n = std::min(clock_.ended(now), kMostEpochs); n > 0; --n) end_epoch();
}

void Sfg::count_inner() {
  dropped_ = own_drops_ + inner_->dropped();
  marked_ = inner_->marked();
}

void Sfg::set_capacity(DataRate capacity, Timestamp now) {
  advance(now);
  capacity_ = capacity;
  inner_->set_capacity(capacity, now);
  count_inner();
}

void Sfg::push(Packet packet, Timestamp now) {
  advance(now);
  const FlowKey key = FlowKey::of(packet.bytes);
  for (Level& level : levels_) level.bytes[bin(key, level.collect)] += packet.size().value();
  ++arrived_;
  // Drawn also while it is off, so that a seed's later choices do not depend on that.
  const double draw = uniform(random_);
  if (on_ && draw < drop_probability(key)) {
    ++filtered_;
    ++own_drops_;
  } else {
    inner_->push(std::move(packet), now);
  }
  count_inner();
}

std::optional<Packet> Sfg::pop(Timestamp now) {
  advance(now);
  auto packet = inner_->pop(now);
  count_inner();
  return packet;
}

}  // namespace qvid::lab
