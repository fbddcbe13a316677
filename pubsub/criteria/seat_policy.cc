#include "pubsub/criteria/seat_policy.h"

#include <algorithm>

namespace qps {

using qvid::Timestamp;

const std::vector<SeatPolicy::Seat>& SeatPolicy::update(std::span<const std::string> ranking,
                                                        Timestamp now) {
  const auto best = ranking.first(std::min(ranking.size(), seats_.size()));
  for (Seat& seat : seats_) {
    if (seat.publisher.empty()) continue;
    if (std::find(best.begin(), best.end(), seat.publisher) != best.end()) {
      seat.unwanted.reset();
    } else if (!seat.unwanted) {
      seat.unwanted = now;
    }
  }

  bool somebody_waits = false;
  for (const std::string& name : best) {
    if (name.empty() || seat_of(name) != nullptr) continue;
    if (Seat* seat = seat_to_take(now)) {
      *seat = Seat{.publisher = name, .since = now, .unwanted = std::nullopt};
    } else {
      somebody_waits = true;
    }
  }

  next_event_ = qvid::kNever;
  for (Seat& seat : seats_) {
    if (seat.publisher.empty() || !seat.unwanted) continue;
    const Timestamp empties = *seat.unwanted + dwell_;
    if (empties <= now && !somebody_waits) {
      seat = Seat{};
      continue;
    }
    next_event_ = std::min(next_event_, somebody_waits ? seat.since + dwell_ : empties);
  }
  return seats_;
}

void SeatPolicy::remove(std::string_view publisher) {
  if (Seat* seat = seat_of(publisher)) *seat = Seat{};
}

SeatPolicy::Seat* SeatPolicy::seat_of(std::string_view publisher) {
  const auto seat = std::find_if(seats_.begin(), seats_.end(),
                                 [&](const Seat& s) { return s.publisher == publisher; });
  return seat == seats_.end() || publisher.empty() ? nullptr : &*seat;
}

SeatPolicy::Seat* SeatPolicy::seat_to_take(Timestamp now) {
  Seat* longest = nullptr;
  for (Seat& seat : seats_) {
    if (seat.publisher.empty()) return &seat;
    if (!seat.unwanted || now - seat.since < dwell_) continue;
    if (longest == nullptr || seat.since < longest->since) longest = &seat;
  }
  return longest;
}

}  // namespace qps
