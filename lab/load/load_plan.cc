#include "lab/load/load_plan.h"

#include <algorithm>
#include <string>

namespace qvid::lab {
namespace {

constexpr std::size_t kMostSeats = 128;  // qps::Broker::kMaxClientSeats

std::size_t divided_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

}  // namespace

Result<LoadPlan> plan_load(const LoadRequest& request) {
  if (request.publishers == 0 || request.subscribers == 0) {
    return Error{"a load test needs a publisher and a subscriber: --publishers, --subscribers"};
  }
  if (request.publishers >= kMostRoomMembers) {
    return Error{"--publishers " + std::to_string(request.publishers) + ": a room has " +
                 std::to_string(kMostRoomMembers) + " members at the most"};
  }
  const std::size_t room_for = kMostRoomMembers - request.publishers;
  const std::size_t least = divided_up(request.subscribers, room_for);
  const std::size_t rooms = request.rooms == 0 ? least : request.rooms;
  if (rooms < least) {
    return Error{"--rooms " + std::to_string(rooms) + ": " + std::to_string(request.subscribers) +
                 " subscribers and " + std::to_string(request.publishers) +
                 " publishers in each room need at least " + std::to_string(least)};
  }
  if (rooms > request.subscribers) {
    return Error{"--rooms " + std::to_string(rooms) + ": more than there are subscribers"};
  }
  if (request.subscribers + rooms * request.publishers > kMostLoadMembers) {
    return Error{"more than " + std::to_string(kMostLoadMembers) +
                 " clients: use several load tests"};
  }
  const std::size_t seats =
      request.seats == 0 ? request.publishers : std::min(request.seats, request.publishers);
  if (seats > kMostSeats) {
    return Error{"--seats: a client has at most " + std::to_string(kMostSeats)};
  }
  LoadPlan plan{.rooms = rooms, .publishers = {}, .subscribers = {}};
  for (std::size_t room = 0; room < rooms; ++room) {
    for (std::size_t i = 0; i < request.publishers; ++i) {
      plan.publishers.push_back({.room = room, .viewers = 0});
    }
  }
  for (std::size_t i = 0; i < request.subscribers; ++i) {
    LoadPlan::Subscriber subscriber{.room = i % rooms, .watches = {}};
    for (std::size_t seat = 0; seat < seats; ++seat) {
      const std::size_t of_room = (i / rooms + seat) % request.publishers;
      const std::size_t publisher = subscriber.room * request.publishers + of_room;
      ++plan.publishers[publisher].viewers;
      subscriber.watches.push_back(publisher);
    }
    plan.subscribers.push_back(std::move(subscriber));
  }
  return plan;
}

}  // namespace qvid::lab
