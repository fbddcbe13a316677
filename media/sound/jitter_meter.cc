#include "media/sound/jitter_meter.h"

#include <algorithm>

namespace qvid::media {

bool JitterMeter::on_packet(Timestamp captured, Duration duration, Timestamp arrival,
                            Timestamp heard) {
  const Duration transit = arrival - captured - duration;
  bool stepped = started() && transit < transit_ - kOutage;
  if (started() && transit > transit_ + kOutage) {
    if (!outage_) outage_ = arrival;
    stepped = arrival - *outage_ > kOutagePatience;
  } else {
    outage_.reset();
  }
  if (stepped) reset();
  duration_ = duration;
  Slot& now = slot(arrival);
  now.transit = std::min(now.transit, transit);
  now.latency = std::min(now.latency, std::max(heard - arrival, Duration::zero()));
  find_least();
  add_need(heard - captured, heard);
  return !stepped;
}

void JitterMeter::on_missing(Timestamp captured, Timestamp heard) {
  if (started()) add_need(heard - captured, heard);
}

void JitterMeter::on_unheard(Timestamp captured, Duration duration, Timestamp arrival) {
  if (!started()) return;
  Slot& now = slot(arrival);
  now.transit = std::min(now.transit, arrival - captured - duration);
  find_least();
}

void JitterMeter::reset() {
  slots_.clear();
  first_.reset();
  outage_.reset();
  recovering_.reset();
}

JitterMeter::Slot& JitterMeter::slot(Timestamp at) {
  // A clock that went back makes no new slots.
  if (!first_) first_ = at;
  if (slots_.empty() || at >= slots_.back().began + kSlot) {
    slots_.push_back({.began = at, .haste = at - *first_ < kStart ? kHaste : 1});
  }
  if (slots_.size() > kMostSlots) slots_.pop_front();
  return slots_.back();
}

void JitterMeter::find_least() {
  transit_ = latency_ = Duration::max();
  std::size_t left = kLeastSlots;
  for (auto it = slots_.rbegin(); it != slots_.rend() && left > 0; ++it, --left) {
    transit_ = std::min(transit_, it->transit);
    latency_ = std::min(latency_, it->latency);
  }
  if (latency_ == Duration::max()) latency_ = {};
}

void JitterMeter::add_need(Duration need, Timestamp heard) {
  const Duration late = need - base();
  if (late > kOutage) {
    recovering_ = heard + kOutagePatience;
    return;
  }
  if (recovering_) {
    if (heard < *recovering_ && need > needed(heard)) return;
    recovering_.reset();
  }
  auto& most = slots_.back().need;
  if (!most || *most < need) most = need;
}

Duration JitterMeter::needed(Timestamp heard) const {
  Duration most{};
  for (const Slot& slot : slots_) {
    if (!slot.need) continue;
    const Duration late = std::min(*slot.need - base(), kOutage);
    const Duration age = (heard - slot.began - kSlot) * slot.haste;
    if (late <= most || age >= kMemory) continue;
    const double weight =
        age <= kHold ? 1.0 : to_seconds(kMemory - age) / to_seconds(kMemory - kHold);
    most = std::max(most, from_seconds(to_seconds(late) * weight));
  }
  return base() + most;
}

}  // namespace qvid::media
