#include "pubsub/broker/broker.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "pubsub/broker/broker_state.h"
#include "pubsub/wire/control_message.h"
#include "pubsub/wire/json_fields.h"

namespace qps {

Broker::Broker(BrokerOptions options, BrokerLog log)
    : options_(std::move(options)), log_(std::move(log)) {
  look_at_memory();
  measurements_.set_most(options_.max_measuring);
}

Broker::~Broker() {
  cluster_ = nullptr;
  // Seats take themselves off publications: these go last.
  for (const auto& client : clients_) client->viewers.clear();
}

void Broker::set_options(BrokerOptions options) {
  options_ = std::move(options);
  look_at_memory();
  measurements_.set_most(options_.max_measuring);
}

BrokerStats Broker::stats() const {
  BrokerStats stats = stats_;
  stats.measuring = measurements_.stats();
  return stats;
}

Broker::Client* Broker::connect(Port& port, std::string who, bool loopback) {
  clients_.push_back(
      std::make_unique<Client>(port, Origin{.who = std::move(who), .loopback = loopback}));
  return clients_.back().get();
}

void Broker::disconnect(Client* client, const std::string& reason, Timestamp now) {
  if (client->link) end_places(*client, reason, now);
  drop(client, reason, now);
}

void Broker::drop(Client* client, const std::string& reason, Timestamp now) {
  if (client->claims) {
    for (auto& [claim, each] : claiming_) {
      if (each.client == client) each.client = nullptr;
    }
  }
  leave(*client, reason, now);
  std::erase_if(clients_, [&](const auto& c) { return c.get() == client; });
}

void Broker::log_of(const Client& client, std::string text, const Room* room) const {
  BrokerLine line(std::move(text));
  line.client = client.who;
  if (room == nullptr) room = client.room;
  if (room != nullptr) line.room = room->name;
  line.member = client.name;
  log_(line);
}

void Broker::fault(Client& client, const std::string& reason) {
  if (std::exchange(client.closing, true)) return;
  ++stats_.faults;
  log_of(client, client.who + ": closed: " + reason);
  client.port.close(reason);
}

void Broker::tell(Client& client, const FromBroker& message) {
  tell(client, Payload::copy_of(std::string_view(serialise(message))));
}

void Broker::tell(Client& client, const Payload& message) {
  if (client.closing || !client.far.empty()) return;
  const auto sent = client.port.send(paceline::kFirstStream, control_message(message));
  // It does not read, and its queue of control messages is full: it would no longer know what it
  // sees.
  if (!sent) fault(client, "it takes no messages: " + sent.error().message);
}

void Broker::on_control(Client& client, const Payload& payload, Timestamp now) {
  // Of what was put off before: from there on all is said in places.
  if (client.link) return fault(client, "a request of a node outside of its places");
  const auto request = parse_to_broker(payload.text());
  if (!request) return fault(client, request.error().message);
  on_request(client, *request, now);
}

void Broker::on_request(Client& client, const ToBroker& request, Timestamp now) {
  if (const auto* join = std::get_if<Join>(&request)) return on_join(client, *join, now);
  if (const auto* admin = std::get_if<Admin>(&request)) return on_admin(client, *admin, now);
  if (const auto* measure = std::get_if<Measure>(&request)) {
    return on_measure(client, *measure, now);
  }
  if (std::holds_alternative<PlayHere>(request)) {
    if (client.room != nullptr) return fault(client, "a request to play from a member of a room");
    return refuse(client, Refusal::kNoVideos,
                  "this is a broker, which has rooms and no videos: qvid call joins one");
  }
  if (const auto* link = std::get_if<Link>(&request)) return on_link(client, *link, now);
  if (client.room == nullptr) return fault(client, "a request before it has joined a room");
  // What it is now it says at the node where it is.
  if (client.former && (std::holds_alternative<SetAttributes>(request) ||
                        std::holds_alternative<Publish>(request))) {
    return;
  }
  if (const auto* set = std::get_if<SetAttributes>(&request)) {
    on_attributes(client, *set);
  } else if (const auto* publish = std::get_if<Publish>(&request)) {
    on_publish(client, *publish, now);
  } else if (const auto* unpublish = std::get_if<Unpublish>(&request)) {
    on_unpublish(client, unpublish->track, now);
  } else if (const auto* watch = std::get_if<Watch>(&request)) {
    on_watch(client, *watch, now);
  } else if (const auto* pause = std::get_if<PauseViewer>(&request)) {
    on_pause(client, pause->viewer, true, now);
  } else if (const auto* resume = std::get_if<ResumeViewer>(&request)) {
    on_pause(client, resume->viewer, false, now);
  } else if (const auto* unwatch = std::get_if<Unwatch>(&request)) {
    on_unwatch(client, unwatch->viewer, now);
  } else if (const auto* say = std::get_if<Say>(&request)) {
    on_say(client, *say, now);
  } else if (const auto* raise = std::get_if<RaiseHand>(&request)) {
    on_hand(client, *raise, now);
  } else if (client.relay) {
    on_place(client, request, now);
  } else {
    fault(client, "what only another node may ask");
  }
}

void Broker::on_join(Client& client, const Join& join, Timestamp now) {
  if (client.room != nullptr) return fault(client, "it has joined a room already");
  if (client.claims) return fault(client, "it is joining a room already");
  if (client.relay) return enter_relay(client, join, now);
  if (draining_) return tell(client, Moving{*draining_});
  if (!is_clean_name(join.name) || !is_clean_name(join.room)) {
    return refuse(client, Refusal::kName,
                  "a name may have no characters that are not seen, or that turn the direction of "
                  "writing, and no space at its ends: choose another");
  }
  if (!authorise(client, join, now)) return;
  if (!lets_in_) return refuse_for_memory(client);
  client.self = client.rights.own_name ? "token" : join.self.empty() ? "" : "self:" + join.self;
  if (!may_join(client, join)) return;
  if (cluster_ == nullptr) return enter(client, join, 0, now);
  client.claims = true;
  claiming_[cluster_->claim(join.room, join.name, client.self, now)] = {.client = &client,
                                                                        .join = join};
}

void Broker::refuse_taken(Client& client, const Join& join) {
  refuse(client, Refusal::kTaken,
         "the name '" + join.name + "' is taken in the room '" + join.room + "'; choose another");
}

bool Broker::may_join(Client& client, const Join& join) {
  const auto it = rooms_.find(join.room);
  const auto refuse_locked = [&] {
    refuse(client, Refusal::kLocked,
           "the room '" + join.room + "' is locked: ask who runs it to open it");
    return false;
  };
  if (it == rooms_.end()) {
    const auto* const let_in = cluster_ != nullptr ? cluster_->let_in(join.room) : nullptr;
    if (let_in != nullptr && !let_in->contains(join.name) && !client.administers(join.room)) {
      return refuse_locked();
    }
    if (rooms_.size() < options_.max_rooms) return true;
    refuse(client, Refusal::kRooms, "the broker has as many rooms as it takes; try again later");
    return false;
  }
  const Room& room = *it->second;
  const auto there = room.members.find(join.name);
  // Who is the same comes here from another node, or back from there: the directory has the last word.
  if (there != room.members.end() && !moves(*there->second, client.self)) {
    refuse_taken(client, join);
    return false;
  }
  if (there == room.members.end() && room.members.size() >= options_.max_members) {
    refuse(client, Refusal::kRoomFull, "the room '" + join.room + "' is full");
    return false;
  }
  return may_enter(room, client, join.name) || refuse_locked();
}

Broker::Room& Broker::room_of(const std::string& name, Timestamp now) {
  auto& room = rooms_[name];
  if (!room) {
    room = std::make_unique<Room>();
    room->name = name;
    room->began = now;
    const auto* const let_in = cluster_ != nullptr ? cluster_->let_in(name) : nullptr;
    if (let_in != nullptr) room->let_in = *let_in;
  }
  return *room;
}

void Broker::enter(Client& client, const Join& join, std::uint64_t revision, Timestamp now) {
  Room& room = room_of(join.room, now);
  client.room = &room;
  client.name = join.name;
  client.attributes = join.attributes;
  client.knowledge = join.knows;
  client.claim = revision;
  client.other = room.former.is_other(client.name, client.self);
  client.joined = now;
  ++stats_.joined;
  log_of(client, client.who + ": joins '" + room.name + "' as '" + client.name + "'" +
                     (client.other ? ", who is another than before" : ""));
  if (events_ && client.is_here()) {
    events_({.joined = true,
             .room = room.name,
             .member = client.name,
             .address = client.who,
             .records = flag_field(client.attributes, kRecording).value_or(false)});
  }
  if (const auto held = room.held.find(client.name); held != room.held.end()) {
    client.held = held->second;
  }
  Joined joined{.room = room.name,
                .name = client.name,
                .knows = {kKnowsHands, kKnowsOrder, kKnowsAnyOrder},
                .admin = client.administers(room.name)};
  if (cluster_ != nullptr) joined.nodes = cluster_->other_nodes();
  if (options_.chat) joined.knows.emplace_back(kKnowsChat);
  tell(client, joined);
  tell_members(client, room);
  tell(client, Listed{});
  room.members[client.name] = &client;
  if (room.here++ == 0) ++rooms_here_changes_;
  tell_changed(client, now);
  if (client.knows(kKnowsOrder)) {
    for (const std::string& track : client.held) tell(client, Held{.track = track, .on = true});
    if (room.let_in) tell(client, Locked{true});
  }
  tell_history(client, now);
}

void Broker::on_attributes(Client& client, const SetAttributes& set) {
  nlohmann::json merged = client.attributes;
  merged.merge_patch(set.set);
  merged.erase(kRecording);
  if (const auto joined = client.attributes.find(kRecording); joined != client.attributes.end()) {
    merged[kRecording] = *joined;
  }
  if (!are_attributes(merged)) return fault(client, "more attributes than a member may have");
  if (merged == client.attributes) return;
  client.attributes = std::move(merged);
  client.note_changed();  // told at the next poll, with what changes until then
  client.unranked = true;
}

void Broker::on_publish(Client& client, const Publish& publish, Timestamp now) {
  if (!client.rights.publish) return remove(client, "you may not publish here", now);
  if (publish.stream == paceline::kFirstStream.value()) {
    return fault(client, "items on the stream of control messages");
  }
  on_unpublish(client, publish.track, now);  // of one that it publishes anew
  if (client.publications.size() == kMaxTracks) return fault(client, "too many tracks");
  if (client.published_on(publish.stream) != nullptr) {
    return fault(client, "two tracks on one stream");
  }
  auto publication = std::make_unique<Publication>();
  publication->name = client.name;
  publication->track = publish.track;
  publication->stream = publish.stream;
  publication->about = publish.about;
  publication->losses = publish.losses;
  client.publications[publish.track] = std::move(publication);
  client.room->note(client, publish.track);
  tell_changed(client, now);
  seat_soon(*client.room, now);
}

void Broker::on_unpublish(Client& client, const std::string& track, Timestamp now) {
  if (client.published(track) == nullptr) return;
  end_publication(*client.room, client, track);
  tell_changed(client, now);
  seat_soon(*client.room, now);
}

void Broker::end_publication(Room& room, Client& client, const std::string& track) {
  const auto gone = client.publications.extract(track);
  const Publication& publication = *gone.mapped();
  const auto now_of = room.members.find(client.name);
  const bool goes_on = now_of != room.members.end() && now_of->second != &client &&
                       now_of->second->published(track) != nullptr;
  if (!goes_on) room.forget(client, publication.track);
  for (SeatFeed* seat : std::vector(publication.feeds)) seat->on_publication_gone(publication);
}

void Broker::leave(Client& client, const std::string& reason, Timestamp now) {
  client.viewers.clear();
  Room* room = std::exchange(client.room, nullptr);
  if (room == nullptr) return;
  if (client.relay) {
    room->relays.erase(client.name);
    return end_if_empty(*room);
  }
  if (client.former) {
    std::erase(room->formers, &client);
  } else {
    room->members.erase(client.name);
    room->former.left(client.name, client.self);
  }
  while (!client.publications.empty()) {
    end_publication(*room, client, client.publications.begin()->first);
  }
  log_of(client,
         client.who + ": '" + client.name + "' leaves '" + room->name + "' (" + reason + ")", room);
  if (events_ && client.is_here()) {
    events_({.room = room->name, .member = client.name, .address = client.who, .reason = reason});
  }
  const Left left{.name = client.name, .reason = reason};
  if (!client.former) tell_room(*room, client, left);
  if (client.is_here()) {
    // Whoever has moved back is seen on, and holds the name.
    const auto now_of = room->members.find(client.name);
    if (now_of == room->members.end() || !now_of->second->is_here()) tell_relays(*room, left);
    if (--room->here == 0) ++rooms_here_changes_;
    if (cluster_ != nullptr && !client.former && !client.moving_until) {
      cluster_->release(room->name, client.name);
    }
  }
  if (!room->members.empty()) seat_soon(*room, now);
  end_if_empty(*room);
}

void Broker::end_if_empty(Room& room) {
  if (room.members.empty() && room.relays.empty() && room.formers.empty()) {
    rooms_.erase(room.name);
  }
}

void Broker::drain(const std::string& reason) {
  draining_ = reason;
  hand_over(reason);
}

void Broker::dismiss(const std::string& reason) {
  draining_ = reason;
  for (const auto& client : clients_) {
    if (client->is_here()) tell(*client, JoinRefused{reason});
  }
}

}  // namespace qps
