#include "media/live/delivery_meter.h"

#include <algorithm>

namespace qvid::media {

void DeliveryMeter::on_sent(UnitKey unit, Timestamp now) {
  forget_old(now);
  if (units_.size() == kMostUnits) units_.pop_front();
  units_.push_back({.key = unit, .sent = now, .ended = kNever, .bytes = {}, .in_time = true});
}

void DeliveryMeter::on_ended(UnitKey unit, ByteCount sent, bool in_time, Timestamp now) {
  const auto it = std::find_if(units_.rbegin(), units_.rend(),
                               [&](const Unit& u) { return u.key == unit && u.ended == kNever; });
  if (it == units_.rend()) return;
  it->ended = now;
  it->bytes = sent;
  it->in_time = in_time;
}

void DeliveryMeter::clear() { units_.clear(); }

void DeliveryMeter::forget_old(Timestamp now) {
  while (!units_.empty() && units_.front().ended < now - kMemory) units_.pop_front();
}

DeliveryMeter::Reading DeliveryMeter::read(Timestamp now, Duration span,
                                           Duration round_trip) const {
  Reading reading;
  const Timestamp from = now - std::min(span, kMemory);
  ByteCount bytes;
  Duration busy{};
  Timestamp busy_until = from;
  for (const Unit& u : units_) {
    if (u.ended <= from) continue;
    const bool over = u.ended != kNever;
    if (over) bytes += u.bytes;
    if (over && !u.in_time) ++reading.lost;
    const bool cancelled = over && !u.in_time;
    const Timestamp first = std::max(cancelled ? u.sent : u.sent + round_trip, busy_until);
    const Timestamp last = std::min(u.ended, now);
    if (last <= first) continue;
    busy += last - first;
    busy_until = last;
  }
  reading.rate = DataRate::of(bytes, now - from);
  reading.busy = std::min(1.0, to_seconds(busy) / to_seconds(now - from));
  // Less than a millisecond is the timers' own.
  reading.capacity = DataRate::of(bytes, std::max<Duration>(busy, std::chrono::milliseconds(1)));
  return reading;
}

}  // namespace qvid::media
