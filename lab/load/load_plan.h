// Who takes part in a load test: rooms, publishers, and subscribers with what each watches.
//
// Pure. Subscribers are spread evenly over the rooms; within a room each watches `seats` publishers
// of it, beginning one further than the one before (round robin).
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"

namespace qvid::lab {

// Of a room, fewer than a broker takes by default (qps::BrokerOptions::max_members).
inline constexpr std::size_t kMostRoomMembers = 250;
inline constexpr std::size_t kMostLoadMembers = 20'000;  // in all

struct LoadRequest {
  std::size_t publishers = 1;   // in each room
  std::size_t subscribers = 1;  // in all
  std::size_t rooms = 0;        // 0: as few as hold them
  std::size_t seats = 1;        // of each subscriber; 0: all of the room
};

struct LoadPlan {
  struct Publisher {
    std::size_t room = 0;
    std::size_t viewers = 0;
  };
  struct Subscriber {
    std::size_t room = 0;
    std::vector<std::size_t> watches;  // of `publishers`
  };
  std::size_t rooms = 0;
  std::vector<Publisher> publishers;
  std::vector<Subscriber> subscribers;
};

// The error says which option to change.
Result<LoadPlan> plan_load(const LoadRequest& request);

}  // namespace qvid::lab
