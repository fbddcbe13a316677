// What the members of a room are told of each other: who is there, who comes, and what a member is
// now. Where many come or change at once, they are told of in one message (Members). Other nodes are
// told of each by itself, with what they alone have to know of it.
#include <string_view>
#include <vector>

#include "pubsub/broker/broker_state.h"
#include "pubsub/wire/json_fields.h"

namespace qps {
namespace {

// Entries that are told at once at a poll: with the largest, of some 1500 bytes, they are a message.
constexpr std::size_t kAtOnce = kMaxControlMessage - 2048;  // bytes

Payload payload_of(std::string_view text) { return Payload::copy_of(text); }

}  // namespace

// Who is there, to one who comes.
void Broker::tell_members(Client& client, const Room& room) {
  if (!client.knows(kKnowsMembers)) {
    for (const auto& [name, member] : room.members) tell(client, member->member());
    return;
  }
  std::vector<std::string_view> entries;
  entries.reserve(room.members.size());
  for (const auto& [name, member] : room.members) entries.push_back(member->as_entry());
  for (const std::string& message : messages_of(entries)) tell(client, payload_of(message));
}

// That a member has come, or is not what it was.
void Broker::tell_changed(Client& client, Timestamp now) {
  if (client.former) return;
  Room& room = *client.room;
  client.note_changed();
  if (!client.news.any(kMemberNews, now) || !room.news.any(kNews, now)) return;
  client.changed = false;
  client.news.take(1);
  room.news.take(static_cast<double>(room.here));
  tell_room(room, client, client.member());
  tell_relays_of(room, client);
}

// What was not told at once, in turns.
void Broker::tell_all_changed(Room& room, Timestamp now) {
  std::vector<const Client*> changed;
  std::vector<std::string_view> entries;
  std::size_t size = 0;
  auto it = room.members.upper_bound(room.told_last);
  for (std::size_t i = 0; i < room.members.size(); ++i, ++it) {
    if (it == room.members.end()) it = room.members.begin();
    Client& client = *it->second;
    if (!client.changed) continue;
    if (changed.empty() && !room.news.any(kNews, now)) return;
    size += client.as_entry().size() + 1;
    if (size > kAtOnce) break;
    client.changed = false;
    changed.push_back(&client);
    entries.push_back(client.as_entry());
  }
  if (changed.empty()) return;
  room.told_last = changed.back()->name;
  const std::vector<std::string> messages = messages_of(entries);
  for (const std::string& message : messages) {
    const Payload all = payload_of(message);
    const double cost =
        1 + static_cast<double>(all.size()) / static_cast<double>(kNewsSize.value());
    for (const auto& [name, member] : room.members) {
      if (!member->is_here() || !member->knows(kKnowsMembers)) continue;
      tell(*member, all);
      room.news.take(cost);
    }
  }
  for (const Client* client : changed) {
    const Payload one = payload_of(serialise(client->member()));
    for (const auto& [name, member] : room.members) {
      if (member == client || !member->is_here() || member->knows(kKnowsMembers)) continue;
      tell(*member, one);
      room.news.take(1);
    }
    tell_relays_of(room, *client);
  }
}

void Broker::tell_room(const Room& room, const Client& of, const FromBroker& message) {
  const Payload text = payload_of(serialise(message));
  for (const auto& [name, member] : room.members) {
    if (member != &of) tell(*member, text);
  }
}

}  // namespace qps
