// What members of a Broker's room say to each other. To the broker it is text and nothing more.
#include <string_view>
#include <utility>

#include "base/text.h"
#include "pubsub/broker/broker_state.h"
#include "pubsub/wire/control_message.h"

namespace qps {

void Broker::on_say(Client& client, const Say& say, Timestamp now) {
  Room& room = *client.room;
  const auto refused = [&](const std::string& reason) {
    ++stats_.not_said;
    tell(client, NotSaid{reason});
  };
  if (!options_.chat) return refused("this broker has no chat");
  if (!client.rights.publish) return refused("your token gives no right to say something here");
  if (!client.chat.any(kClientChat, now) || !room.chat.any(kRoomChat, now)) {
    return refused("too many messages at once: wait a few seconds");
  }
  client.chat.take(1);
  Said said{.from = client.name, .text = qvid::clean_line(say.text), .to = say.to};
  if (said.text.empty()) return refused("there is nothing in it that could be read");
  if (!say.to.empty()) {
    const auto other = recipient(room, say.to);
    if (!other) return refused(other.error().message);
    ++stats_.said;
    const Payload text = Payload::copy_of(std::string_view(serialise(FromBroker(said))));
    tell_chat(client, text, 0);
    if (*other != &client) tell_chat(**other, text, 0);
    // Its own node hands it on.
    if (const auto relay = room.relays.find((*other)->far); relay != room.relays.end()) {
      tell_chat(*relay->second, text, 0);
    }
    return;
  }
  ++stats_.said;
  said.number = room.history.next();
  const Payload text = Payload::copy_of(std::string_view(serialise(FromBroker(said))));
  for (const auto& [name, member] : room.members) tell_chat(*member, text, said.number);
  for (const auto& [node, relay] : room.relays) tell_chat(*relay, text, said.number);
  const auto recipients = static_cast<double>(room.members.size());
  room.chat.take(recipients);
  client.budget.work.take(recipients);
  room.history.add(std::move(said), options_.chat_kept, now);
}

Result<Broker::Client*> Broker::recipient(const Room& room, const std::string& name) const {
  const auto member = room.members.find(name);
  if (member == room.members.end()) {
    return qvid::Error{"there is no " + qvid::in_quotes(name) + " in this room"};
  }
  Client* const client = member->second;
  if (!client->far.empty()) return client;  // that its own node knows
  if (!client->knows(kKnowsChat) || !client->rights.subscribe) {
    return qvid::Error{qvid::in_quotes(name) + " is told no messages"};
  }
  return client;
}

void Broker::tell_chat(Client& client, const Payload& message, std::int64_t number) {
  if (client.closing || !client.far.empty() || !client.knows(kKnowsChat) ||
      !client.rights.subscribe)
    return;
  const ByteCount size = message.byte_count();
  if (client.chat_waiting + size <= kMaxChatWaiting) {
    const auto sent = client.port.send(paceline::kFirstStream, chat_message(message, number));
    if (sent) {
      client.chat_under_way[*sent] = size;
      client.chat_waiting += size;
      return;
    }
  }
  ++stats_.chat_lost;
}

void Broker::tell_history(Client& client, Timestamp now) {
  const ChatHistory& history = client.room->history;
  client.budget.work.take(static_cast<double>(history.size()));
  history.each(now, [&](const Said& said, bool here) {
    if (client.relay && !here) return;  // that it has from the one's own node
    tell_chat(client, Payload::copy_of(std::string_view(serialise(FromBroker(said)))), said.number);
  });
}

}  // namespace qps
