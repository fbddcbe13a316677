#include "transport/session/lane_choice.h"

namespace paceline {
namespace {

constexpr int kBadLane = 2;

}  // namespace

// The lower, the better. One that stalls, or carries the content, becomes a lane only where there
// is no other at all.
int LaneChoice::rank(const Channel& c, Timestamp now) const {
  const int shared = channels_.active() == c.id ? kBadLane : channels_.receiving() == c.id ? 1 : 0;
  return shared + (redundant_.stalls(c.id, now) ? kBadLane : 0);
}

// Null: no channel is left that is no lane.
const Channel* LaneChoice::best(Timestamp now) const {
  const Channel* best = nullptr;
  for (const Channel& c : channels_.all()) {
    if (!c.open || c.abandoned || redundant_.is_lane(c.id)) continue;
    const int its = rank(c, now);
    const int least = best == nullptr ? its + 1 : rank(*best, now);
    if (its < least || (its == least && c.last_heard > best->last_heard)) best = &c;
  }
  return best;
}

void LaneChoice::choose(Timestamp now) {
  const bool wanted = peer_takes_ && redundant_.wanted(now);
  wanted_ = wanted || peer_uses(now);
  if (!wanted && redundant_.empty()) return redundant_.end_lanes();
  for (std::size_t i = 0; i < RedundantLanes::kLanes; ++i) {
    const Channel* next = best(now);
    if (next == nullptr) return;
    const int its = rank(*next, now);
    if (its >= kBadLane && redundant_.has_lane()) return;
    const auto lane = redundant_.lane(i);
    const Channel* current = lane ? channels_.find(*lane) : nullptr;
    if (current == nullptr || its < rank(*current, now)) redundant_.move(i, next->id);
  }
}

}  // namespace paceline
