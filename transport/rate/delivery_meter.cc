#include "transport/rate/delivery_meter.h"

#include <algorithm>

namespace paceline {

DeliveryMeter::Ticket DeliveryMeter::on_sent(ByteCount size, Timestamp now) {
  forget_old(now);
  if (messages_.size() == kMostMessages) pop_front();
  messages_.push_back(
      {.sent = now, .ended = qvid::kNever, .size = size, .bytes = {}, .in_time = true});
  return first_ + messages_.size() - 1;
}

void DeliveryMeter::on_ended(Ticket message, ByteCount sent, bool in_time, Timestamp now) {
  if (message < first_ || message - first_ >= messages_.size()) return;
  Message& ended = messages_[static_cast<std::size_t>(message - first_)];
  if (ended.ended != qvid::kNever) return;
  ended.ended = now;
  ended.bytes = sent;
  ended.in_time = in_time;
}

void DeliveryMeter::clear() {
  while (!messages_.empty()) pop_front();
}

void DeliveryMeter::pop_front() {
  messages_.pop_front();
  ++first_;
}

void DeliveryMeter::forget_old(Timestamp now) {
  while (!messages_.empty() && messages_.front().ended < now - kMemory) pop_front();
}

DeliveryMeter::Reading DeliveryMeter::read(Timestamp now, Duration span,
                                           Duration round_trip) const {
  Reading reading;
  const Timestamp from = now - std::min(span, kMemory);
  ByteCount bytes;
  Duration busy{};
  Timestamp busy_until = from;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const Message& m = messages_[i];
    if (m.ended <= from) continue;
    const bool over = m.ended != qvid::kNever;
    reading.offered += m.size;
    if (over) bytes += m.bytes;
    if (over && !m.in_time) ++reading.lost;
    const bool cancelled = over && !m.in_time;
    const Timestamp first = std::max(cancelled ? m.sent : m.sent + round_trip, busy_until);
    const Timestamp last = std::min(m.ended, now);
    if (last <= first) continue;
    busy += last - first;
    busy_until = last;
  }
  reading.rate = DataRate::of(bytes, now - from);
  reading.busy = std::min(1.0, qvid::to_seconds(busy) / qvid::to_seconds(now - from));
  // Less than a millisecond is the timers' own.
  reading.capacity = DataRate::of(bytes, std::max<Duration>(busy, std::chrono::milliseconds(1)));
  return reading;
}

}  // namespace paceline
