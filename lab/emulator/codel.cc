#include "lab/emulator/codel.h"

#include <cmath>
#include <utility>

#include "lab/emulator/ecn.h"

namespace qvid::lab {

void Codel::push(Packet packet, Timestamp /*now*/) {
  if (!fifo_.push(std::move(packet))) ++dropped_;
}

Timestamp Codel::control_law(Timestamp from) const {
  return from + Duration(static_cast<std::int64_t>(static_cast<double>(kInterval.count()) /
                                                   std::sqrt(static_cast<double>(count_))));
}

Codel::Next Codel::take(Timestamp now) {
  Next next{.packet = fifo_.pop()};
  if (!next.packet || now - next.packet->arrived < kTarget ||
      fifo_.bytes() + beside_ <= kMaxPacket) {
    too_long_at_.reset();
  } else if (!too_long_at_) {
    too_long_at_ = now + kInterval;
  } else {
    next.too_long = now >= *too_long_at_;
  }
  return next;
}

bool Codel::notify(Packet& packet) {
  const bool marked = mark_congestion(packet.bytes);
  ++(marked ? marked_ : dropped_);
  return marked;
}

void Codel::drop_first() {
  fifo_.pop();
  ++dropped_;
}

std::optional<Packet> Codel::pop(Timestamp now) {
  Next next = take(now);
  if (dropping_) {
    if (!next.too_long) dropping_ = false;
    while (dropping_ && now >= next_drop_) {
      ++count_;
      if (notify(*next.packet)) {
        next_drop_ = control_law(next_drop_);
        break;
      }
      next = take(now);
      if (next.too_long) {
        next_drop_ = control_law(next_drop_);
      } else {
        dropping_ = false;
      }
    }
  } else if (next.too_long) {
    if (!notify(*next.packet)) next = take(now);
    dropping_ = true;
    // Where the last bad time is not long over, its rate of drops is the one to begin with.
    const std::int64_t drops = count_ - last_count_;
    count_ = drops > 1 && now - next_drop_ < 16 * kInterval ? drops : 1;
    last_count_ = count_;
    next_drop_ = control_law(now);
  }
  return std::move(next.packet);
}

}  // namespace qvid::lab
