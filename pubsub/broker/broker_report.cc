// What an operator is told of a Broker: how much is there, and who is slow.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "pubsub/broker/broker_state.h"

namespace qps {

BrokerCounts Broker::counts() const {
  BrokerCounts counts{.clients = static_cast<std::size_t>(std::ranges::count_if(
                          clients_, [](const auto& client) { return client->is_here(); })),
                      .rooms = rooms_.size(),
                      .memory = options_.memory(),
                      .max_memory = options_.max_memory,
                      .memory_allowed = may_hold_};
  for (const auto& client : clients_) {
    if (!client->far.empty()) ++counts.far;
    if (client->link) ++counts.links;
    if (!client->is_here()) continue;
    if (client->room != nullptr) ++counts.members;
    counts.publications += client->publications.size();
    if (client->slowness.slow) ++counts.slow_clients;
    counts.viewers += client->viewers.size();
    counts.seats += client->shown_seats();
  }
  return counts;
}

std::vector<RoomCounts> Broker::room_counts(std::size_t most) const {
  std::vector<RoomCounts> all;
  for (const auto& [name, room] : rooms_) {
    const auto moved = static_cast<std::size_t>(
        std::ranges::count_if(room->formers, [](const Client* each) { return each->is_here(); }));
    const std::size_t here = room->here - moved;
    all.push_back({.room = name, .members = here, .far = room->members.size() - here});
  }
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(most, all.size()));
  std::ranges::partial_sort(all, end, std::greater(),
                            [](const RoomCounts& r) { return r.members + r.far; });
  all.erase(end, all.end());
  for (RoomCounts& counts : all) {
    for (const auto& [name, member] : rooms_.at(counts.room)->members) {
      if (!member->is_here()) continue;
      counts.tracks += member->publications.size();
      counts.seats += member->shown_seats();
    }
  }
  return all;
}

void Broker::log_slow(Timestamp now) {
  if (!slow_measured_) slow_measured_ = now;
  const Duration passed = now - *slow_measured_;
  if (passed < SlowViewerLog::kInterval) return;
  slow_measured_ = now;
  for (const auto& client : clients_) log_slow(*client, passed, now);
}

void Broker::log_slow(Client& client, Duration passed, Timestamp now) {
  SeatTally all;
  const SeatFeed* worst = nullptr;
  std::int64_t most_lost = -1;
  std::size_t shown = 0;
  for (const auto& [id, viewer] : client.viewers) {
    for (const auto& seat : viewer.seats) {
      const SeatTally tally = seat->take_tally();
      if (seat->shown() == nullptr) continue;
      ++shown;
      all.add(tally);
      if (tally.lost() > most_lost) {
        most_lost = tally.lost();
        worst = seat.get();
      }
    }
  }
  if (worst == nullptr) return;
  const Publication& shown_worst = *worst->shown();
  std::string of = shown_worst.name;
  if (!shown_worst.track.empty()) of += "'s " + shown_worst.track;
  const auto said = slow_viewers_.on_second(client.slowness,
                                            {.name = client.name,
                                             .who = client.who,
                                             .of = of,
                                             .others = shown - 1,
                                             .tally = all,
                                             .length = passed},
                                            now);
  if (said) log_of(client, *said);
}

}  // namespace qps
