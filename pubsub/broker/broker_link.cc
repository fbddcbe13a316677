// Other nodes of the cluster as clients of a Broker: a session, and in it a place in each room in
// which that node has members who watch those who are here. In the room it is a relay: it is told
// what members are, and has seats; nobody sees it, and it sees nobody who is elsewhere.
#include <algorithm>
#include <utility>

#include "pubsub/broker/broker_state.h"
#include "pubsub/wire/control_message.h"
#include "pubsub/wire/json_fields.h"

namespace qps {

namespace {

bool may_be_asked_by_nodes(const ToBroker& request) {
  return std::holds_alternative<Join>(request) || std::holds_alternative<Watch>(request) ||
         std::holds_alternative<PauseViewer>(request) ||
         std::holds_alternative<ResumeViewer>(request) ||
         std::holds_alternative<Unwatch>(request) || std::holds_alternative<Admin>(request) ||
         std::holds_alternative<AskBegin>(request) || std::holds_alternative<Take>(request);
}

}  // namespace

// A place's part of the session: its control messages begin with its number.
class Broker::PlacePort : public Port {
 public:
  PlacePort(Port& session, LinkEnd& link, std::uint32_t place, Client*& client)
      : session_(session), link_(link), place_(place), client_(client) {}

  Result<paceline::MessageId> send(paceline::StreamId stream, paceline::Message message) override {
    if (stream == paceline::kFirstStream) {
      const std::string text = placed(place_, message.payload.text());
      // The other end reads no more than that, and would not know what it sees any longer.
      if (text.size() > kMaxControlMessage) return paceline::MessageId();
      message.payload = Payload::copy_of(std::string_view(text));
    }
    message.in_any_order = false;  // of older nodes not all know what to do with that
    auto sent = session_.send(stream, std::move(message));
    if (sent) link_.under_way[*sent] = client_;
    return sent;
  }
  void cancel(paceline::MessageId message) override { session_.cancel(message); }
  paceline::StreamId open_stream() override { return session_.open_stream(); }
  void close_stream(paceline::StreamId stream) override { session_.close_stream(stream); }
  Duration round_trip() const override { return session_.round_trip(); }
  void let_in() override {}
  ByteCount waiting() const override { return {}; }  // that is counted once, of the session
  void hold(Duration) override {}
  void close(const std::string& reason) override { session_.close(reason); }

 private:
  Port& session_;
  LinkEnd& link_;
  const std::uint32_t place_;
  Client*& client_;
};

void Broker::on_link(Client& client, const Link& link, Timestamp) {
  if (client.room != nullptr || client.relay) return fault(client, "a link from within a room");
  if (cluster_ == nullptr || !cluster_->is_node(link)) {
    ++stats_.wrong_tokens;
    return fault(client, "it says it is the node '" + link.node + "' and does not prove it");
  }
  client.port.let_in();
  client.link = std::make_unique<LinkEnd>();
  client.link->node = link.node;
  log_of(client, client.who + ": is the node '" + link.node + "'");
  tell(client, Linked{});
}

void Broker::on_link_message(Client& link, const paceline::MessageArrived& message, Timestamp now) {
  if (message.stream != paceline::kFirstStream) return fault(link, "a node sends no items");
  const auto in = parse_placed(message.payload.text());
  if (!in) return fault(link, "a node's message without its place");
  const auto request = parse_to_broker(in->text);
  if (!request) return fault(link, request.error().message);
  LinkEnd& end = *link.link;
  if (std::holds_alternative<LeavePlace>(*request)) {
    const auto gone = end.places.find(in->place);
    if (gone == end.places.end()) return;
    Client* const relay = gone->second.client;
    drop(relay, "it leaves", now);
    std::erase_if(end.under_way, [&](const auto& each) { return each.second == relay; });
    end.places.erase(gone);
    return;
  }
  LinkEnd::Place& place = end.places[in->place];
  if (!place.port) {
    place.port = std::make_unique<PlacePort>(link.port, end, in->place, place.client);
    place.client = connect(*place.port, "the node '" + end.node + "'");
    place.client->relay = true;
    place.client->rights = {.publish = false, .subscribe = true, .admin = true};
    place.client->knowledge = {kKnowsChat, kKnowsHands, kKnowsOrder};
  }
  Client& relay = *place.client;
  if (relay.closing) return;
  if (!may_be_asked_by_nodes(*request)) return fault(link, "what a node does not ask");
  if (relay.room == nullptr && !std::holds_alternative<Join>(*request)) {
    return fault(link, "a node's request before it is in that room");
  }
  on_request(relay, *request, now);
}

void Broker::enter_relay(Client& relay, const Join& join, Timestamp now) {
  Room* const room = &room_of(join.room, now);
  relay.room = room;
  relay.name = join.name;
  relay.joined = now;
  if (!room->relays.emplace(relay.name, &relay).second) {
    relay.room = nullptr;
    return fault(relay, "a node that is in that room already");
  }
  tell(relay, Joined{.room = room->name, .name = relay.name});
  for (const auto& [name, member] : room->members) {
    if (member->is_here()) tell(relay, member->member_for_nodes());
  }
  tell(relay, Listed{});
  tell_history(relay, now);
}

// What only another node asks.
void Broker::on_place(Client& relay, const ToBroker& request, Timestamp now) {
  const auto seat_of = [&](std::uint32_t viewer) -> SeatFeed* {
    const auto it = relay.viewers.find(viewer);
    return it == relay.viewers.end() || it->second.seats.empty() ? nullptr
                                                                 : it->second.seats[0].get();
  };
  if (const auto* ask_for = std::get_if<AskBegin>(&request)) {
    SeatFeed* const seat = seat_of(ask_for->viewer);
    if (seat == nullptr || seat->shown() == nullptr) return;
    seat->ask_beginning();
    ask(publisher_of(*relay.room, *seat->shown()), now);
  } else if (const auto* take = std::get_if<Take>(&request)) {
    if (SeatFeed* const seat = seat_of(take->viewer)) {
      seat->set_behind({.least = std::min(take->least, take->most),
                        .most = take->most,
                        .contended = take->contended});
    }
  }
}

void Broker::end_places(Client& link, const std::string& reason, Timestamp now) {
  while (!link.link->places.empty()) {
    drop(link.link->places.begin()->second.client, reason, now);
    link.link->places.erase(link.link->places.begin());
  }
  link.link->under_way.clear();
}

void Broker::tell_relays(const Room& room, const FromBroker& message) {
  if (room.relays.empty()) return;
  const Payload text = Payload::copy_of(std::string_view(serialise(message)));
  for (const auto& [node, relay] : room.relays) tell(*relay, text);
}

// What a member is, where it is here: each node tells of its own.
void Broker::tell_relays_of(Room& room, const Client& member) {
  if (room.relays.empty() || !member.is_here()) return;
  tell_relays(room, member.member_for_nodes());
  room.news.take(static_cast<double>(room.relays.size()));
}

}  // namespace qps
