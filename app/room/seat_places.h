// Which place of its window each seat has that a party watches. Where the party moves to another node of
// a cluster, it has two memberships for a while, and a place goes on with what the former one sends:
//
//   moved()               --> all places are the former membership's
//   a seat is told        --> it has the place of who was shown under that name, or a free one, and waits
//   its first part comes  --> the place is its own
//   settle()              --> those that still wait have theirs; what the former one had alone is empty
//
// Pure. Bound: the seats of two memberships. Thread: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pubsub/wire/control.h"

namespace qvid::app {

class SeatPlaces {
 public:
  enum class Of { kNow, kFormer };

  // It has joined anew: nobody is shown, and there is one membership.
  void clear() {
    viewers_.clear();
    moving_ = false;
  }
  // Precondition: it is not moving, or has settled.
  void moved();
  // What is to be shown from now on, by place; empty: what is shown goes on.
  std::optional<qps::Seat> on_seat(const qps::Seat& seat, Of of);
  struct Part {
    int place = 0;
    std::optional<qps::Seat> show{};  // before the part
  };
  // Empty: nothing shows it.
  std::optional<Part> on_part(std::uint32_t viewer, int seat, Of of);
  // What is shown of that viewer, or of any, comes from the new membership alone.
  bool has_moved(std::uint32_t viewer) const;
  bool has_moved() const;
  // The former membership is over.
  std::vector<qps::Seat> settle();

 private:
  struct Shown {
    std::string name;
    bool of_former = false;
  };
  struct Viewer {
    std::map<int, int> now;  // places by seat
    std::map<int, int> former;
    std::map<int, Shown> shown;        // by place
    std::map<int, qps::Seat> waiting;  // by place, and under its number there
  };
  static bool is_taken(const Viewer& viewer, int place);
  int place_for(const Viewer& viewer, const qps::Seat& seat) const;
  static std::optional<qps::Seat> on_seat_of_former(Viewer& viewer, const qps::Seat& seat);
  static qps::Seat show(Viewer& viewer, int place, qps::Seat seat, bool of_former);

  std::map<std::uint32_t, Viewer> viewers_;
  bool moving_ = false;
};

}  // namespace qvid::app
