#include "transport/session/greeting_places.h"

#include <algorithm>
#include <map>
#include <utility>

namespace paceline {

GreetingPlaces::Room GreetingPlaces::make_room(const std::string& group, bool known,
                                               qvid::Timestamp now) const {
  const auto own =
      std::ranges::count_if(guests_, [&](const Place& place) { return place.group == group; });
  std::optional<Guest> leaves;
  if (std::cmp_greater_equal(own, limits_.each)) {
    leaves = oldest_of(group, now);
  } else if (known) {
    if (guests_.size() < limits_.all) return {.is_there = true, .leaves = {}};
    leaves = oldest_of_largest(false, now);
    if (!leaves) leaves = oldest_of_largest(true, now);
  } else {
    const auto strangers =
        std::ranges::count_if(guests_, [](const Place& place) { return !place.known; });
    if (guests_.size() < limits_.all && std::cmp_less(strangers, limits_.all - limits_.kept)) {
      return {.is_there = true, .leaves = {}};
    }
    leaves = oldest_of_largest(false, now);
  }
  return {.is_there = leaves.has_value(), .leaves = leaves};
}

GreetingPlaces::Guest GreetingPlaces::add(const std::string& group, bool known,
                                          qvid::Timestamp now) {
  guests_.push_back({.guest = next_, .group = group, .known = known, .came = now});
  return next_++;
}

void GreetingPlaces::keep(Guest guest) {
  const auto it = std::ranges::find(guests_, guest, &Place::guest);
  if (it != guests_.end()) it->kept = true;
}

void GreetingPlaces::remove(Guest guest) {
  std::erase_if(guests_, [guest](const Place& place) { return place.guest == guest; });
}

std::optional<GreetingPlaces::Guest> GreetingPlaces::oldest_of(const std::string& group,
                                                               qvid::Timestamp now) const {
  const auto it = std::ranges::find_if(
      guests_, [&](const Place& place) { return place.group == group && may_leave(place, now); });
  if (it == guests_.end()) return std::nullopt;
  return it->guest;
}

std::optional<GreetingPlaces::Guest> GreetingPlaces::oldest_of_largest(bool known,
                                                                       qvid::Timestamp now) const {
  std::map<std::string, std::size_t> counts;
  for (const Place& place : guests_) {
    if (place.known == known && !place.kept) ++counts[place.group];
  }
  const Place* leaves = nullptr;
  for (const Place& place : guests_) {
    if (place.known != known || !may_leave(place, now)) continue;
    if (leaves == nullptr || counts[place.group] > counts[leaves->group]) leaves = &place;
  }
  if (leaves == nullptr) return std::nullopt;
  return leaves->guest;
}

}  // namespace paceline
