#include "pubsub/broker/broker.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "pubsub/broker/broker_state.h"
#include "pubsub/wire/control_message.h"

namespace qps {

Broker::Broker(BrokerOptions options, BrokerLog log)
    : options_(std::move(options)), log_(std::move(log)) {
  measurements_.set_most(options_.max_measuring);
}

Broker::~Broker() {
  // Seats take themselves off publications: these go last.
  for (const auto& client : clients_) client->viewers.clear();
}

void Broker::set_options(BrokerOptions options) {
  options_ = std::move(options);
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
  leave(*client, reason, now);
  std::erase_if(clients_, [&](const auto& c) { return c.get() == client; });
}

void Broker::fault(Client& client, const std::string& reason) {
  if (std::exchange(client.closing, true)) return;
  ++stats_.faults;
  log_(client.who + ": closed: " + reason);
  client.port.close(reason);
}

void Broker::tell(Client& client, const FromBroker& message) {
  tell(client, Payload::copy_of(std::string_view(serialise(message))));
}

void Broker::tell(Client& client, const Payload& message) {
  if (client.closing) return;
  const auto sent = client.port.send(paceline::kFirstStream, control_message(message));
  // It does not read, and its queue of control messages is full: it would no longer know what it
  // sees.
  if (!sent) fault(client, "it takes no messages: " + sent.error().message);
}

// That a member is not what it was.
void Broker::tell_changed(Client& client, Timestamp now) {
  Room& room = *client.room;
  client.changed = true;
  if (!client.news.any(kMemberNews, now) || !room.news.any(kNews, now)) return;
  client.changed = false;
  client.news.take(1);
  room.news.take(static_cast<double>(room.members.size()));
  tell_room(room, &client, client.member());
}

// What was not told at once, of as many as may be, in turns.
void Broker::tell_all_changed(Room& room, Timestamp now) {
  auto it = room.members.upper_bound(room.told_last);
  for (std::size_t i = 0; i < room.members.size(); ++i, ++it) {
    if (it == room.members.end()) it = room.members.begin();
    Client& client = *it->second;
    if (!client.changed) continue;
    if (!room.news.any(kNews, now)) return;
    client.changed = false;
    room.news.take(static_cast<double>(room.members.size()));
    room.told_last = client.name;
    tell_room(room, &client, client.member());
  }
}

void Broker::tell_room(const Room& room, const Client* but, const FromBroker& message) {
  const Payload text = Payload::copy_of(std::string_view(serialise(message)));
  for (const auto& [name, member] : room.members) {
    if (member != but) tell(*member, text);
  }
}

void Broker::on_control(Client& client, const Payload& payload, Timestamp now) {
  const auto request = parse_to_broker(payload.text());
  if (!request) return fault(client, request.error().message);
  if (const auto* join = std::get_if<Join>(&*request)) return on_join(client, *join, now);
  if (const auto* admin = std::get_if<Admin>(&*request)) return on_admin(client, *admin, now);
  if (const auto* measure = std::get_if<Measure>(&*request)) {
    return on_measure(client, *measure, now);
  }
  if (std::holds_alternative<PlayHere>(*request)) {
    if (client.room != nullptr) return fault(client, "a request to play from a member of a room");
    return refuse(client, Refusal::kNoVideos,
                  "this is a broker, which has rooms and no videos: qvid call joins one");
  }
  if (client.room == nullptr) return fault(client, "a request before it has joined a room");
  if (const auto* set = std::get_if<SetAttributes>(&*request)) {
    on_attributes(client, *set);
  } else if (const auto* publish = std::get_if<Publish>(&*request)) {
    on_publish(client, *publish, now);
  } else if (const auto* unpublish = std::get_if<Unpublish>(&*request)) {
    on_unpublish(client, unpublish->track, now);
  } else if (const auto* watch = std::get_if<Watch>(&*request)) {
    on_watch(client, *watch, now);
  } else if (const auto* pause = std::get_if<PauseViewer>(&*request)) {
    on_pause(client, pause->viewer, true, now);
  } else if (const auto* resume = std::get_if<ResumeViewer>(&*request)) {
    on_pause(client, resume->viewer, false, now);
  } else if (const auto* unwatch = std::get_if<Unwatch>(&*request)) {
    on_unwatch(client, unwatch->viewer, now);
  } else if (const auto* say = std::get_if<Say>(&*request)) {
    on_say(client, *say, now);
  } else if (const auto* raise = std::get_if<RaiseHand>(&*request)) {
    on_hand(client, *raise, now);
  }
}

void Broker::on_join(Client& client, const Join& join, Timestamp now) {
  if (client.room != nullptr) return fault(client, "it has joined a room already");
  if (draining_) return tell(client, Moving{*draining_});
  if (!is_clean_name(join.name) || !is_clean_name(join.room)) {
    return refuse(client, Refusal::kName,
                  "a name may have no characters that are not seen, or that turn the direction of "
                  "writing, and no space at its ends: choose another");
  }
  if (!authorise(client, join, now)) return;
  if (!has_memory(kMemoryForMembers)) return refuse_for_memory(client);
  const auto it = rooms_.find(join.room);
  if (it == rooms_.end() && rooms_.size() >= options_.max_rooms) {
    return refuse(client, Refusal::kRooms,
                  "the broker has as many rooms as it takes; try again later");
  }
  if (it != rooms_.end() && it->second->members.contains(join.name)) {
    return refuse(
        client, Refusal::kTaken,
        "the name '" + join.name + "' is taken in the room '" + join.room + "'; choose another");
  }
  if (it != rooms_.end() && it->second->members.size() >= options_.max_members) {
    return refuse(client, Refusal::kRoomFull, "the room '" + join.room + "' is full");
  }
  if (it != rooms_.end() && !may_enter(*it->second, client, join.name)) {
    return refuse(client, Refusal::kLocked,
                  "the room '" + join.room + "' is locked: ask who runs it to open it");
  }
  auto& place = rooms_[join.room];
  if (!place) {
    place = std::make_unique<Room>();
    place->name = join.room;
    place->began = now;
  }
  Room& room = *place;
  client.room = &room;
  client.name = join.name;
  client.attributes = join.attributes;
  client.knowledge = join.knows;
  client.self = client.rights.own_name ? "token" : join.self.empty() ? "" : "self:" + join.self;
  client.other = room.former.is_other(client.name, client.self);
  client.joined = now;
  ++stats_.joined;
  log_(client.who + ": joins '" + room.name + "' as '" + client.name + "'" +
       (client.other ? ", who is another than before" : ""));
  if (const auto held = room.held.find(client.name); held != room.held.end()) {
    client.held = held->second;
  }
  Joined joined{.room = room.name,
                .name = client.name,
                .knows = {kKnowsHands, kKnowsOrder},
                .admin = client.administers(room.name)};
  if (options_.chat) joined.knows.emplace_back(kKnowsChat);
  tell(client, joined);
  for (const auto& [name, member] : room.members) tell(client, member->member());
  tell(client, Listed{});
  tell_room(room, &client, client.member());
  room.members[client.name] = &client;
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
  client.changed = true;  // told at the next poll, with what changes until then
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
  room.forget(client, publication.track);
  for (SeatFeed* seat : std::vector(publication.feeds)) seat->on_publication_gone(publication);
}

void Broker::on_watch(Client& client, const Watch& watch, Timestamp now) {
  if (!client.rights.subscribe) return remove(client, "you may not subscribe here", now);
  std::size_t others = 0;
  for (const auto& [id, viewer] : client.viewers) {
    if (id != watch.viewer) others += viewer.seats.size();
  }
  if (others + static_cast<std::size_t>(watch.seats) > kMaxClientSeats) {
    return tell(client, NotWatched{watch.viewer, "a client has at most 128 seats in all"});
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

void Broker::leave(Client& client, const std::string& reason, Timestamp now) {
  client.viewers.clear();
  Room* room = std::exchange(client.room, nullptr);
  if (room == nullptr) return;
  room->members.erase(client.name);
  room->former.left(client.name, client.self);
  while (!client.publications.empty()) {
    end_publication(*room, client, client.publications.begin()->first);
  }
  log_(client.who + ": '" + client.name + "' leaves '" + room->name + "' (" + reason + ")");
  tell_room(*room, nullptr, Left{.name = client.name, .reason = reason});
  if (room->members.empty()) {
    rooms_.erase(room->name);
  } else {
    seat_soon(*room, now);
  }
}

void Broker::drain(const std::string& reason) {
  draining_ = reason;
  for (const auto& client : clients_) tell(*client, Moving{reason});
}

void Broker::dismiss(const std::string& reason) {
  draining_ = reason;
  for (const auto& client : clients_) tell(*client, JoinRefused{reason});
}

}  // namespace qps
