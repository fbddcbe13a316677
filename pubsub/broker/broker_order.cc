// How a Broker's room is kept in order: raised hands, tracks that are held, rooms that are locked.
#include <algorithm>
#include <vector>

#include "base/text.h"
#include "pubsub/broker/broker_state.h"

namespace qps {

// In the order in which they came here, whoever tells of it when.
void Broker::on_hand(Client& client, const RaiseHand& raise, Timestamp now) {
  const std::int64_t before = client.hand;
  if (!raise.up) {
    client.hand = 0;
  } else if (client.hand == 0) {
    client.hand = ++client.room->hands;
  }
  if (client.knows(kKnowsHands)) tell(client, Hand{client.hand});
  if (client.hand != before) tell_changed(client, now);
}

// Nothing of that track goes on, so that it holds for clients too that know nothing of this; the
// source is told that nobody wants it. Under that name it holds as long as the room is there.
std::optional<std::string> Broker::hold(Room& room, const Admin& admin, Timestamp now) {
  const auto member = room.members.find(admin.name);
  Client* const client = member == room.members.end() ? nullptr : member->second;
  if (admin.on) end_formers_of(room, admin.name, "a track of yours is held", now);
  if (client == nullptr && (admin.on || !room.held.contains(admin.name))) {
    return "there is no " + qvid::in_quotes(admin.name) + " in this room";
  }
  auto held = room.held.find(admin.name);
  if (admin.on) {
    if (held == room.held.end()) {
      if (room.held.size() >= Room::kMaxHeldNames) return "too many members are held already";
      held = room.held.emplace(admin.name, std::set<std::string>()).first;
    }
    if (held->second.size() >= kMaxTracks && !held->second.contains(admin.track)) {
      return "a member has at most four tracks";
    }
    held->second.insert(admin.track);
  } else if (held != room.held.end()) {
    held->second.erase(admin.track);
    if (held->second.empty()) room.held.erase(held);
  }
  if (client == nullptr || client->held.contains(admin.track) == admin.on) return std::nullopt;
  if (!client->is_here()) return std::nullopt;  // its own node does the rest, and tells
  if (admin.on) {
    client->held.insert(admin.track);
    room.forget(*client, admin.track);
  } else {
    client->held.erase(admin.track);
    if (client->published(admin.track) != nullptr) room.note(*client, admin.track);
  }
  seat_soon(room, now);
  if (client->knows(kKnowsOrder)) tell(*client, Held{.track = admin.track, .on = admin.on});
  tell_changed(*client, now);
  ask(*client, now);
  return std::nullopt;
}

void Broker::lock(Room& room, bool on) {
  if (room.let_in.has_value() == on) return;
  room.let_in.reset();
  if (on) {
    room.let_in.emplace();
    for (const auto& [name, member] : room.members) room.let_in->insert(name);
  }
  for (const auto& [name, member] : room.members) {
    if (member->knows(kKnowsOrder)) tell(*member, Locked{on});
  }
}

void Broker::lock_as_elsewhere(const std::string& name,
                               const std::optional<std::set<std::string>>& let_in,
                               std::uint64_t revision, Timestamp now) {
  const auto it = rooms_.find(name);
  if (it == rooms_.end()) return;
  Room& room = *it->second;
  if (room.let_in && let_in) {
    // Who was let in here, and whom the others did not see, may stay; who was kicked is not among them.
    std::erase_if(*room.let_in, [&](const auto& each) { return !room.members.contains(each); });
    room.let_in->insert(let_in->begin(), let_in->end());
    return;
  }
  lock(room, let_in.has_value());
  if (!let_in) return;
  room.let_in->insert(let_in->begin(), let_in->end());
  std::vector<Client*> late;
  for (const auto& [who, member] : room.members) {
    if (member->claim > revision && !let_in->contains(who)) late.push_back(member);
  }
  for (Client* const member : late) {
    if (!member->is_here() || member->closing || member->administers(name)) continue;
    room.let_in->erase(member->name);
    remove(*member, "the room was locked before you came in", now);
  }
}

bool Broker::may_enter(const Room& room, const Client& client, const std::string& name) const {
  return !room.let_in || room.let_in->contains(name) || client.administers(room.name);
}

}  // namespace qps
