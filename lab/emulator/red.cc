#include "lab/emulator/red.h"

#include <cmath>
#include <utility>

#include "lab/emulator/ecn.h"
#include "lab/emulator/uniform.h"

namespace qvid::lab {
namespace {

constexpr double kAveragingSeconds = 0.4;
constexpr double kPacketBits = 8000;

double value(ByteCount bytes) { return static_cast<double>(bytes.value()); }

}  // namespace

RedThresholds red_thresholds(ByteCount limit) { return {.min = limit / 10, .max = limit * 6 / 10}; }

double red_weight(DataRate capacity) {
  return -std::expm1(-kPacketBits / static_cast<double>(capacity.bps()) / kAveragingSeconds);
}

void Red::set_capacity(DataRate capacity, Timestamp /*now*/) { weight_ = red_weight(capacity); }

void Red::update_average(Timestamp now) {
  if (!idle_since_) {
    average_ += weight_ * (value(fifo_.bytes()) - average_);
    return;
  }
  // (1 - w)^(t / s) = exp(-t / 0.4 s), for every rate.
  average_ *= std::exp(-to_seconds(now - *idle_since_) / kAveragingSeconds);
  idle_since_.reset();
}

double Red::base_probability() const {
  const double min = value(thresholds_.min);
  const double max = value(thresholds_.max);
  const double max_p = thresholds_.max_p;
  if (average_ < min) return 0;
  if (average_ < max) return max_p * (average_ - min) / (max - min);
  if (average_ < 2 * max) return max_p + (1 - max_p) * (average_ - max) / max;
  return 1;
}

Red::Verdict Red::verdict() {
  const double draw = uniform(random_);
  const double p = base_probability();
  if (average_ < value(thresholds_.min)) {
    count_ = -1;
    return Verdict::kPass;
  }
  ++count_;
  const double until_sure = 1 - static_cast<double>(count_) * p;
  if (until_sure > 0 && draw >= p / until_sure) return Verdict::kPass;
  count_ = 0;
  // Where all are to go a mark would hold nobody back (RFC 3168, section 7).
  return p < 1 ? Verdict::kMark : Verdict::kDrop;
}

void Red::push(Packet packet, Timestamp now) {
  update_average(now);
  const Verdict v = verdict();
  const bool marked = v == Verdict::kMark && mark_congestion(packet.bytes);
  if (v != Verdict::kPass && !marked) {
    ++dropped_;
  } else if (!fifo_.push(std::move(packet))) {
    ++dropped_;
    count_ = 0;
  } else if (marked) {
    ++marked_;
  }
}

std::optional<Packet> Red::pop(Timestamp now) {
  auto packet = fifo_.pop();
  // The link asks again only after the next packet has come: it rests until then.
  if (!packet && !idle_since_) idle_since_ = now;
  return packet;
}

}  // namespace qvid::lab
