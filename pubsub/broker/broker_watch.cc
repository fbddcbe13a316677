// What clients of a Broker watch: viewers, their seats and criteria.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "pubsub/broker/broker_state.h"

namespace qps {

void Broker::on_watch(Client& client, const Watch& watch, Timestamp now) {
  if (!client.rights.subscribe) return remove(client, "you may not subscribe here", now);
  std::size_t others = 0;
  for (const auto& [id, viewer] : client.viewers) {
    if (id != watch.viewer) others += viewer.seats.size();
  }
  const std::size_t most = client.relay ? kMaxLinkSeats : kMaxClientSeats;
  if (others + static_cast<std::size_t>(watch.seats) > most) {
    return tell(client, NotWatched{watch.viewer, "a client has at most " + std::to_string(most) +
                                                     " seats in all"});
  }
  if (const auto it = client.viewers.find(watch.viewer); it != client.viewers.end()) {
    Watch before = it->second.watch;
    before.window = watch.window;
    // As often as its client likes: the seats go on, and who ranked where is not asked again.
    if (before == watch) {
      it->second.watch.window = watch.window;
      for (const auto& seat : it->second.seats) seat->set_window(watch.window);
      return;
    }
  }
  if (watch.names.empty()) {
    // Before anything of the viewer is changed: what was before stays.
    auto preference = prefer(client, watch, now);
    if (!preference) return tell(client, NotWatched{watch.viewer, preference.error().message});
    client.viewers[watch.viewer].preference.emplace(*std::move(preference));
  } else {
    client.viewers[watch.viewer].preference.reset();
  }
  Viewer& viewer = client.viewers[watch.viewer];
  std::set<std::string> publishers;  // those of before, and those of now
  viewer.add_publishers(publishers);
  if (viewer.watch.track != watch.track) {
    // `seat` does not tell the track: nothing of the old one comes from here on.
    for (const auto& seat : viewer.seats) seat->show(nullptr);
    viewer.seats.clear();
  }
  viewer.watch = watch;
  const auto seats = static_cast<std::size_t>(watch.seats);
  for (std::size_t i = seats; i < viewer.seats.size(); ++i) viewer.seats[i]->show(nullptr);
  if (viewer.seats.size() > seats) viewer.seats.resize(seats);
  for (const auto& seat : viewer.seats) seat->set_window(watch.window);
  while (viewer.seats.size() < seats) {
    const int number = static_cast<int>(viewer.seats.size());
    viewer.seats.push_back(std::make_unique<SeatFeed>(
        client.port, client.messages, watch.window,
        [this, &client, id = watch.viewer, number](const Publication* shown,
                                                   paceline::StreamId stream) {
          ++stats_.switches;
          tell(client, Seat{.viewer = id,
                            .seat = number,
                            .name = shown != nullptr ? shown->name : "",
                            .stream = stream.value(),
                            .about = shown != nullptr ? shown->about : ""});
        }));
    viewer.seats.back()->pause(viewer.paused);
    if (client.relay) viewer.seats.back()->set_behind({});
  }
  client.budget.work.take(ClientBudget::kOfSeat * static_cast<double>(seats));
  seat(*client.room, client, viewer, now);
  viewer.add_publishers(publishers);
  ask_those(*client.room, publishers, now);
}

Result<ViewerPreference> Broker::prefer(Client& client, const Watch& watch, Timestamp now) {
  std::erase_if(client.next_criteria, [now](const auto& entry) { return now >= entry.second; });
  if (client.next_criteria.contains(watch.track) || client.next_criteria.size() >= kMaxTracks) {
    return Error{"criteria are changed too often: five times a second at the most"};
  }
  client.next_criteria[watch.track] = now + kCriteriaInterval;
  const auto others = std::ranges::count_if(client.viewers, [&](const auto& each) {
    return each.second.preference && each.first != watch.viewer;
  });
  if (std::cmp_greater_equal(others, kMaxCriteria)) {
    return Error{"a client watches by at most four criteria"};
  }
  auto publishers = client.room->publishers_of(watch.track);
  auto criterion = publishers->table.compile(watch.best);
  if (!criterion) return criterion.error();
  ViewerPreference preference(std::move(publishers), *std::move(criterion), client.name,
                              static_cast<std::size_t>(watch.seats));
  auto refused = preference.begin(now);
  client.budget.work.take(ClientBudget::kOfCompiling);
  charge_steps(client, preference);
  if (refused) return *std::move(refused);
  return preference;
}

void Broker::on_unwatch(Client& client, std::uint32_t viewer, Timestamp now) {
  const auto it = client.viewers.find(viewer);
  if (it == client.viewers.end()) return;  // its criteria were refused
  std::set<std::string> publishers;
  it->second.add_publishers(publishers);
  client.budget.work.take(ClientBudget::kOfSeat * static_cast<double>(it->second.seats.size()));
  for (const auto& seat : it->second.seats) seat->show(nullptr);
  client.viewers.erase(it);
  ask_those(*client.room, publishers, now);
}

void Broker::on_pause(Client& client, std::uint32_t viewer, bool on, Timestamp now) {
  const auto it = client.viewers.find(viewer);
  if (it == client.viewers.end()) return;  // its criteria were refused
  if (std::exchange(it->second.paused, on) == on) return;
  std::set<std::string> publishers;
  it->second.add_publishers(publishers);
  client.budget.work.take(ClientBudget::kOfSeat * static_cast<double>(it->second.seats.size()));
  for (const auto& seat : it->second.seats) seat->pause(on);
  ask_those(*client.room, publishers, now);
}

}  // namespace qps
