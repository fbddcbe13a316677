// From rankings, which follow every change of loudness, to seats, which a person can watch.
//
//     best      = the first k names of the ranking, k = the number of seats
//     keeps     a publisher of the best its seat, wherever in the best it is: nobody moves
//     takes     a publisher of the best without a seat, in the order of the ranking:
//               an empty seat at once; else that of the longest seated who is not of the best,
//               and not before kDwell after that one took it
//     empties   a seat whose publisher has not been of the best for kDwell, where nobody takes it
//     left      a publisher that left the room loses its seat at once
//
// So a seat changes hands at most once in kDwell however often two near-equals change places, and
// who hovers about a threshold of a WHERE does not go on and off.
//
// Why it is enough: that a newcomer must be better by so much is for the criterion to say, which
// knows the units. Pure: `now` goes in. Bound: the seats. Thread: one at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace qps {

class SeatPolicy {
 public:
  static constexpr qvid::Duration kDwell = std::chrono::seconds(1);

  struct Seat {
    std::string publisher{};  // empty: nobody
    qvid::Timestamp since{};  // when it took the seat
    // When a ranking first had it no longer among the best.
    std::optional<qvid::Timestamp> unwanted{};
  };

  explicit SeatPolicy(std::size_t seats, qvid::Duration dwell = kDwell)
      : dwell_(dwell), seats_(seats) {}

  // Who sits where from `now` on. `ranking`: best first; what is behind the seats' number does not
  // count, nor does a name that comes a second time. `now` never goes back.
  const std::vector<Seat>& update(std::span<const std::string> ranking, qvid::Timestamp now);

  // It has left the room. The seat is empty until the next update, which should follow at once.
  void remove(std::string_view publisher);

  // The criterion asks for another number. Of fewer the last ones go, with who sits there; the next
  // update seats who of them is better than who stayed, after the dwell.
  void resize(std::size_t seats) { seats_.resize(seats); }

  // When update may have something to do though no ranking has changed; call it with the latest.
  qvid::Timestamp next_event() const { return next_event_; }

  const std::vector<Seat>& seats() const { return seats_; }

 private:
  Seat* seat_of(std::string_view publisher);
  Seat* seat_to_take(qvid::Timestamp now);

  qvid::Duration dwell_;
  std::vector<Seat> seats_;
  qvid::Timestamp next_event_ = qvid::kNever;
};

}  // namespace qps
