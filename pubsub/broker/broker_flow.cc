// What flows through a Broker: items to seats, what seats shall show, and what publishers are told
// of those who watch.
#include <algorithm>
#include <utility>

#include "pubsub/broker/broker_state.h"
#include "transport/rate/receiver_rate.h"

namespace qps {

void Broker::on_item(Client& client, const paceline::MessageArrived& message, Timestamp now) {
  // What is still under way of a stream that has ended is left.
  Publication* const published = client.published_on(message.stream.value());
  if (published == nullptr) {
    if (client.measurement && client.measurement->on_arrived(message)) return;
    if (client.room == nullptr) fault(client, "data before it has joined a room");
    return;
  }
  on_fragment(client, *published, message, now);
}

void Broker::on_fragment(Client& client, Publication& p, const paceline::MessageArrived& message,
                         Timestamp now) {
  if (client.held.contains(p.track)) return;
  const auto id = fragment_at(message.position.value());
  if (!id) return fault(client, "an absurd item number");
  if (!has_memory(1)) {
    ++stats_.items_without_memory;
    return;
  }
  ++stats_.fragments_in;
  stats_.bytes_in += message.payload.byte_count();
  ItemOrder::Fragment fragment{
      .id = *id, .payload = message.payload, .size = message.payload.byte_count(), .came = now};
  if (id->fragment == 0) {
    auto first = parse_first_fragment(message.payload);
    if (!first) return fault(client, first.error().message);
    fragment.size = first->data.byte_count();
    fragment.envelope = std::move(first->envelope);
  }
  p.order.add(std::move(fragment));
  give_out(client, p, now);
}

// What can be judged now.
void Broker::give_out(Client& client, Publication& p, Timestamp now) {
  while (auto next = p.order.next(p.log, now)) {
    if (!take(client, p, *std::move(next), now)) return;
  }
}

// False: the client was closed.
bool Broker::take(Client& client, Publication& p, ItemOrder::Fragment fragment, Timestamp now) {
  const FragmentId* const id = &fragment.id;
  if (fragment.envelope) {
    p.note_beginning(id->part, fragment.envelope->begins);
    const Timestamp due_here = p.clock.on_arrival(fragment.envelope->due, fragment.came);
    if (!p.log.note(id->part, {.envelope = *std::move(fragment.envelope), .due_here = due_here})) {
      return true;
    }
  }
  // Of a part whose envelope did not come nothing is of use.
  const ItemLog::Taken taken = p.log.take(*id, fragment.size);
  if (taken == ItemLog::Taken::kUnsound) {
    fault(client, "a part of more than it says");
    return false;
  }
  if (taken != ItemLog::Taken::kYes) return true;
  client.budget.work.take(static_cast<double>(p.feeds.size()));
  std::set<std::string> left;  // no longer shown by a seat that changed over
  for (SeatFeed* seat : p.feeds) {
    const Publication* const before = seat->shown();
    seat->on_fragment(p, *id, fragment.payload, now);
    if (before != nullptr && seat->shown() != before) left.insert(before->name);
  }
  tell_losses(client, p);
  if (id->fragment == 0) ask(client, p, now);
  ask_those(*client.room, left, now);
  return true;
}

void Broker::on_ended(Client* client, const paceline::MessageEnded& ended, Timestamp now) {
  if (client->link) {
    const auto of = client->link->under_way.extract(ended.message);
    if (!of) return;
    client = of.mapped();
  }
  const auto it = client->messages.find(ended.message);
  if (it == client->messages.end()) {
    if (const auto chat = client->chat_under_way.extract(ended.message)) {
      client->chat_waiting -= chat.mapped();
      if (ended.outcome != paceline::Outcome::kDelivered) ++stats_.chat_lost;
      return;
    }
    if (client->measurement) client->measurement->on_ended(ended, now);
    return;
  }
  const SeatFeed::Under under = it->second;
  client->messages.erase(it);
  if (ended.outcome == paceline::Outcome::kDelivered) {
    ++stats_.fragments_out;
    stats_.bytes_out += ended.size;
    stats_.delivery.add(now - under.came);
  } else {
    ++stats_.fragments_lost;
  }
  under.seat->on_ended(under, ended, now);
  if (Publication* const p = under.seat->shown(); p != nullptr && !p->lost.empty()) {
    tell_losses(publisher_of(*client->room, *p), *p);
  }
}

void Broker::seat_soon(Room& room, Timestamp now) {
  room.unseated = true;
  if (room.seatings.any(kSeatings, now)) seat_all(room, now);
}

// Gives every seat of the room what it shall show, and tells publishers what that means for them.
void Broker::seat_all(Room& room, Timestamp now) {
  room.unseated = false;
  room.seatings.take(1);
  for (const auto& [name, member] : room.members) {
    for (auto& [id, viewer] : member->viewers) seat(room, *member, viewer, now);
  }
  for (const auto& [node, relay] : room.relays) {
    for (auto& [id, viewer] : relay->viewers) seat(room, *relay, viewer, now);
  }
  for (const auto& [name, member] : room.members) ask(*member, now);
}

void Broker::seat(Room& room, Client& client, Viewer& viewer, Timestamp now) {
  std::vector<std::string> names = viewer.watch.names;
  if (viewer.preference) {
    const bool may_evaluate = client.budget.work.any(ClientBudget::kWork, now);
    for (const auto& seat : viewer.preference->update(now, may_evaluate)) {
      names.push_back(seat.publisher);
    }
    charge_steps(client, *viewer.preference);
  }
  for (std::size_t i = 0; i < viewer.seats.size() && i < names.size(); ++i) {
    const auto member = room.members.find(names[i]);
    // Another node sees those who are here alone: nothing goes round.
    const bool seen = member != room.members.end() && (!client.relay || member->second->is_here());
    Publication* const p = seen ? member->second->published(viewer.watch.track) : nullptr;
    Publication* const shown = viewer.seats[i]->shown();
    // Who has moved is seen until it is there again.
    const bool goes_on =
        p == nullptr && shown != nullptr && shown->former && shown->name == names[i];
    viewer.seats[i]->show(goes_on ? shown : p);
  }
}

void Broker::ask_those(const Room& room, const std::set<std::string>& publishers, Timestamp now) {
  for (const std::string& name : publishers) {
    if (const auto it = room.members.find(name); it != room.members.end()) ask(*it->second, now);
    for (Client* former : room.formers) {
      if (former->name == name) ask(*former, now);
    }
  }
}

void Broker::ask(Client& publisher, Timestamp now) {
  for (const auto& [track, p] : publisher.publications) ask(publisher, *p, now);
}

// What the seats want of a publisher: that it sends at all, and an item to begin with.
void Broker::ask(Client& publisher, Publication& p, Timestamp now) {
  const bool wanted =
      !publisher.held.contains(p.track) &&
      std::ranges::any_of(p.feeds, [](const SeatFeed* seat) { return !seat->paused(); });
  // What is lost behind another node nobody here knows.
  const bool losses = wanted && p.losses && p.feeds.size() == 1 && p.feeds[0]->shown() == &p &&
                      !p.feeds[0]->of_node();
  const bool was_wanted = std::exchange(p.wanted, wanted);
  if (was_wanted && !wanted) {
    p.demand = {};
    p.begin_asked = false;
  }
  Duration window{};
  if (wanted && !publisher.far.empty()) {
    for (const SeatFeed* seat : p.feeds) window = std::max(window, seat->window());
  }
  const bool wider = std::exchange(p.window, window) != window;
  if (std::exchange(p.losses_told, losses) != losses || was_wanted != wanted || wider) {
    tell_wanted(publisher, p, losses);
  }
  // Where the next item will do there is nothing to ask for; and where none has come since it was,
  // none could be the one.
  if (!wanted || p.every_item_begins() || (p.begin_asked && !p.came_since)) return;
  const bool begin =
      std::ranges::any_of(p.feeds, [&](const SeatFeed* seat) { return seat->wants_beginning(p); });
  if (!begin) p.begin_wanted_since.reset();
  if (begin && !p.begin_wanted_since) p.begin_wanted_since = now;
  if (begin && losses && p.feeds[0]->mends(p) && now - *p.begin_wanted_since < kMending) return;
  if (!begin) return;
  if (!p.opened_at) p.opened_at = now;
  const Duration between = now - *p.opened_at < kOpening ? kLeastBetweenOpening : kLeastBetween;
  if (now - p.begin_asked_at < (p.begin_asked ? kAskAgain : between)) return;
  p.begin_asked = true;
  p.came_since = false;
  p.begin_asked_at = now;
  if (publisher.far.empty()) {
    tell(publisher, Begin{p.track});
  } else {
    cluster_->wish({publisher.far, publisher.room->name, publisher.name}, Begin{p.track});
  }
}

void Broker::poll(Timestamp now) {
  end_overdue(now);
  end_moved(now);
  tell_nodes(now);
  hand_over_some(now);
  look_at_memory();
  free_memory();
  for (const auto& client : clients_) {
    catch_up(*client, now);
    for (const auto& [track, p] : client->publications) {
      if (p->order.waiting() > 0 && client->room != nullptr) give_out(*client, *p, now);
    }
    if (client->room == nullptr) {
      if (client->link) continue;
      if (client->came == Timestamp()) client->came = now;
      if (now - client->came > kJoinTimeout) fault(*client, "it has not joined a room in time");
    } else if (std::exchange(client->unranked, false) && !client->former) {
      for (const auto& [track, publication] : client->publications) {
        client->room->note(*client, track);
      }
    }
  }
  for (const auto& [name, room] : rooms_) {
    tell_all_changed(*room, now);
    const bool preferences = std::ranges::any_of(room->members, [](const auto& member) {
      return std::ranges::any_of(member.second->viewers,
                                 [](const auto& v) { return v.second.preference.has_value(); });
    });
    if (preferences || room->unseated) seat_all(*room, now);
  }
  log_slow(now);
  if (!measured_) measured_ = now;
  if (now - *measured_ < paceline::ReceiverRate::kInterval) return;
  measured_ = now;
  for (const auto& client : clients_) {
    for (const auto& [id, viewer] : client->viewers) {
      for (const auto& seat : viewer.seats) seat->measure(now);
    }
  }
  for (const auto& client : clients_) {
    for (const auto& [track, publication] : client->publications) {
      tell_demand(*client, *publication, now);
    }
    ask(*client, now);
  }
}

// So that the encoder refers to nothing that its only receiver has not.
void Broker::tell_losses(Client& publisher, Publication& p) {
  for (const PartId& id : std::exchange(p.lost, {})) {
    tell(publisher, Lost{.id = id, .track = p.track});
  }
}

// At once, not when rates are next measured: what is made until then is too much, and late. Beyond
// kLeastBetweenDemands that is soon enough.
void Broker::on_path_rate(Client* client, const paceline::PathRate& path, Timestamp now) {
  std::vector<Offered> seats;
  if (client->link) {
    for (const auto& [number, place] : client->link->places) add_offered(*place.client, now, seats);
  } else {
    add_offered(*client, now, seats);
  }
  ByteCount all;
  for (const Offered& each : seats) all += each.bytes;
  // The seats share the path as they have used it. In an outage perhaps none has.
  const bool restored = path.reason == paceline::PathRate::Reason::kRestored;
  for (const auto& [to, seat, offered] : seats) {
    if (offered == ByteCount() && !restored) continue;
    const double part = offered == ByteCount() ? 0
                                               : static_cast<double>(offered.value()) /
                                                     static_cast<double>(all.value());
    seat->on_path_rate({path.rate * part, path.reason}, now);
    Publication& p = *seat->shown();
    if (now - p.demand_told_at < kLeastBetweenDemands) continue;
    tell_demand(publisher_of(*to->room, p), p, now);
  }
}

void Broker::add_offered(const Client& client, Timestamp now, std::vector<Offered>& to) {
  for (const auto& [id, viewer] : client.viewers) {
    for (const auto& seat : viewer.seats) {
      if (seat->paused() || seat->shown() == nullptr) continue;
      to.push_back({.to = &client, .seat = seat.get(), .bytes = seat->offered(now)});
    }
  }
}

void Broker::tell_demand(Client& publisher, Publication& p, Timestamp now) {
  if (!p.wanted) return;
  Demand demand{.most = {}, .least = {}, .track = p.track};
  for (const SeatFeed* seat : p.feeds) {
    const auto [least, most, contended] = seat->can_take(now);
    if (seat->paused() || seat->shown() != &p || most == DataRate()) continue;
    demand.most = std::max(demand.most, most);
    demand.least = demand.least == DataRate() ? least : std::min(demand.least, least);
    demand.contended = demand.contended || contended;
  }
  if (demand.most == DataRate() || demand == p.demand) return;
  p.demand = demand;
  p.demand_told_at = now;
  if (publisher.far.empty()) {
    tell(publisher, demand);
  } else {
    cluster_->wish({publisher.far, publisher.room->name, publisher.name}, demand);
  }
}

void Broker::tell_wanted(Client& publisher, const Publication& p, bool losses) {
  if (publisher.far.empty()) {
    return tell(publisher, Wanted{.on = p.wanted, .track = p.track, .losses = losses});
  }
  cluster_->wish({publisher.far, publisher.room->name, publisher.name},
                 FarWanted{.track = p.track, .on = p.wanted, .window = p.window});
}

}  // namespace qps
