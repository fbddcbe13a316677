#include "app/room/seat_places.h"

#include <algorithm>
#include <utility>

namespace qvid::app {

void SeatPlaces::moved() {
  moving_ = true;
  for (auto& [id, viewer] : viewers_) {
    viewer.former = std::exchange(viewer.now, {});
    for (auto& [place, shown] : viewer.shown) shown.of_former = true;
  }
}

bool SeatPlaces::is_taken(const Viewer& viewer, int place) {
  return std::ranges::any_of(viewer.now, [&](const auto& seat) { return seat.second == place; });
}

int SeatPlaces::place_for(const Viewer& viewer, const qps::Seat& seat) const {
  for (const auto& [place, shown] : viewer.shown) {
    if (shown.of_former && shown.name == seat.name && !is_taken(viewer, place)) return place;
  }
  if (!moving_ && !is_taken(viewer, seat.seat)) return seat.seat;
  // Rather a place where nobody is seen; of the others one, from which somebody has gone meanwhile.
  const int most = viewer.shown.empty() ? 0 : viewer.shown.rbegin()->first;
  const int last = std::max(seat.seat, most);
  for (int place = 0; place <= last; ++place) {
    if (!is_taken(viewer, place) && !viewer.shown.contains(place)) return place;
  }
  int place = 0;
  while (is_taken(viewer, place)) ++place;
  return place;
}

qps::Seat SeatPlaces::show(Viewer& viewer, int place, qps::Seat seat, bool of_former) {
  if (seat.name.empty()) {
    viewer.shown.erase(place);
  } else {
    viewer.shown[place] = {.name = seat.name, .of_former = of_former};
  }
  seat.seat = place;
  return seat;
}

std::optional<qps::Seat> SeatPlaces::on_seat_of_former(Viewer& viewer, const qps::Seat& seat) {
  const auto at = viewer.former.find(seat.seat);
  if (at == viewer.former.end()) return std::nullopt;
  const auto shown = viewer.shown.find(at->second);
  // Where it has emptied a place, the new membership may have it.
  if (shown == viewer.shown.end() || !shown->second.of_former) return std::nullopt;
  return show(viewer, at->second, seat, true);
}

std::optional<qps::Seat> SeatPlaces::on_seat(const qps::Seat& seat, Of of) {
  Viewer& viewer = viewers_[seat.viewer];
  if (of == Of::kFormer) return on_seat_of_former(viewer, seat);
  auto at = viewer.now.find(seat.seat);
  if (at != viewer.now.end() && viewer.waiting.erase(at->second) > 0) {
    viewer.now.erase(at);  // somebody else is told instead, who may be seen at another place
    at = viewer.now.end();
  }
  if (at == viewer.now.end()) {
    if (moving_ && seat.name.empty()) return std::nullopt;
    at = viewer.now.emplace(seat.seat, place_for(viewer, seat)).first;
  }
  const int place = at->second;
  const auto shown = viewer.shown.find(place);
  if (shown != viewer.shown.end() && shown->second.of_former) {
    viewer.waiting[place] = seat;
    return std::nullopt;
  }
  return show(viewer, place, seat, false);
}

std::optional<SeatPlaces::Part> SeatPlaces::on_part(std::uint32_t id, int seat, Of of) {
  const auto found = viewers_.find(id);
  if (found == viewers_.end()) return std::nullopt;
  Viewer& viewer = found->second;
  const auto& places = of == Of::kNow ? viewer.now : viewer.former;
  const auto at = places.find(seat);
  if (at == places.end()) return std::nullopt;
  Part part{.place = at->second};
  if (of == Of::kFormer) {
    const auto shown = viewer.shown.find(part.place);
    if (shown == viewer.shown.end() || !shown->second.of_former) return std::nullopt;
  } else if (auto waited = viewer.waiting.extract(part.place)) {
    part.show = show(viewer, part.place, std::move(waited.mapped()), false);
  }
  return part;
}

bool SeatPlaces::has_moved(std::uint32_t id) const {
  const auto viewer = viewers_.find(id);
  return viewer == viewers_.end() ||
         std::ranges::none_of(viewer->second.shown,
                              [](const auto& shown) { return shown.second.of_former; });
}

bool SeatPlaces::has_moved() const {
  return std::ranges::all_of(viewers_, [&](const auto& viewer) { return has_moved(viewer.first); });
}

std::vector<qps::Seat> SeatPlaces::settle() {
  moving_ = false;
  std::vector<qps::Seat> all;
  for (auto& [id, viewer] : viewers_) {
    for (auto& [place, seat] : std::exchange(viewer.waiting, {})) {
      all.push_back(show(viewer, place, std::move(seat), false));
    }
    viewer.former.clear();
    std::vector<int> gone;
    for (const auto& [place, shown] : viewer.shown) {
      if (shown.of_former) gone.push_back(place);
    }
    for (const int place : gone) {
      viewer.shown.erase(place);
      all.push_back({.viewer = id, .seat = place, .name = {}, .about = {}});
    }
  }
  return all;
}

}  // namespace qvid::app
