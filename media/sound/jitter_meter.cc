#include "media/sound/jitter_meter.h"

#include <algorithm>

namespace qvid::media {

bool JitterMeter::on_packet(Timestamp captured, Duration duration, Timestamp arrival,
                            Timestamp heard) {
  const Duration transit = arrival - captured - duration;
  bool stepped = started() && transit < this->transit() - kOutage;
  if (started() && transit > this->transit() + kOutage) {
    if (!outage_) outage_ = arrival;
    stepped = arrival - *outage_ > kOutagePatience;
  } else {
    outage_.reset();
  }
  if (stepped) reset();
  duration_ = duration;
  begin_slot(arrival);
  transit_.add(transit, arrival);
  latency_.add(std::max(heard - arrival, Duration::zero()), arrival);
  add_need(heard - captured, heard);
  return !stepped;
}

void JitterMeter::on_missing(Timestamp captured, Timestamp heard) {
  if (started()) add_need(heard - captured, heard);
}

void JitterMeter::on_unheard(Timestamp captured, Duration duration, Timestamp arrival) {
  if (!started()) return;
  begin_slot(arrival);
  transit_.add(arrival - captured - duration, arrival);
  latency_.add(Duration::max(), arrival);  // its time passes alike
}

void JitterMeter::reset() {
  slots_.clear();
  transit_.clear();
  latency_.clear();
  first_.reset();
  outage_.reset();
  recovering_.reset();
}

void JitterMeter::begin_slot(Timestamp at) {
  // A clock that went back makes no new slots.
  if (!first_) first_ = at;
  if (slots_.empty() || at >= slots_.back().began + kSlot) {
    slots_.push_back({.began = at, .haste = at - *first_ < kStart ? kHaste : 1});
  }
  if (slots_.size() > kMostSlots) slots_.pop_front();
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
