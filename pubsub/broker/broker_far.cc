// Members of a Broker's rooms who are on other nodes. They are clients without a session: what they
// send comes over their node's link, once, and what is wanted of them is told to the cluster.
#include <algorithm>
#include <utility>

#include "pubsub/broker/broker_state.h"

namespace qps {
namespace {

// Of who is elsewhere: nothing is sent to it.
class NoPort : public Port {
 public:
  Result<paceline::MessageId> send(paceline::StreamId, paceline::Message) override {
    return Error{"it is on another node"};
  }
  void cancel(paceline::MessageId) override {}
  paceline::StreamId open_stream() override { return {}; }
  void close_stream(paceline::StreamId) override {}
  Duration round_trip() const override { return {}; }
  void let_in() override {}
  ByteCount waiting() const override { return {}; }
  void hold(Duration) override {}
  void close(const std::string&) override {}
};
NoPort no_port;

// Raised in a room; what another node says beyond it, no room has seen.
constexpr std::int64_t kMostHands = std::int64_t{1} << 53;

}  // namespace

void Broker::on_claimed(std::uint64_t claim, const std::string& error, bool taken,
                        std::uint64_t revision, Timestamp now) {
  const auto claiming = claiming_.extract(claim);
  if (!claiming) return;
  const Join& join = claiming.mapped().join;
  Client* const client = claiming.mapped().client;
  const auto give_back = [&] {
    if (error.empty()) cluster_->release(join.room, join.name);
  };
  if (client == nullptr) return give_back();
  client->claims = false;
  if (client->closing) return give_back();
  if (!error.empty()) {
    return taken ? refuse_taken(*client, join) : refuse(*client, Refusal::kDirectory, error);
  }
  if (draining_) {
    give_back();
    return tell(*client, Moving{*draining_});
  }
  // Whoever the others take for the holder is so no longer: the directory says.
  if (const auto room = rooms_.find(join.room); room != rooms_.end()) {
    const auto there = room->second->members.find(join.name);
    if (there != room->second->members.end()) {
      Client& before = *there->second;
      if (moves(before, client->self)) {
        if (!may_join(*client, join)) return give_back();  // before it is no member any more
        make_former(before, now);
      } else if (!before.far.empty()) {
        drop(&before, "lost its name", now);
      }
    }
  }
  if (!may_join(*client, join)) return give_back();
  enter(*client, join, revision, now);
}

std::vector<std::string> Broker::rooms_here() const {
  std::vector<std::string> rooms;
  for (const auto& [name, room] : rooms_) {
    if (room->here > 0) rooms.push_back(name);
  }
  return rooms;
}

Broker::Client* Broker::find_far(const FarName& who) const {
  const auto room = rooms_.find(who.room);
  if (room == rooms_.end()) return nullptr;
  const auto member = room->second->members.find(who.name);
  if (member != room->second->members.end() && member->second->far == who.node) {
    return member->second;
  }
  const auto former = std::ranges::find_if(room->second->formers, [&](const Client* each) {
    return each->name == who.name && each->far == who.node;
  });
  return former == room->second->formers.end() ? nullptr : *former;
}

bool Broker::show_far(const std::string& node, const std::string& in_room, const Member& member,
                      Timestamp now) {
  const auto place = rooms_.find(in_room);
  if (place == rooms_.end() || place->second->here == 0) return false;
  Room& room = *place->second;
  const auto claim = static_cast<std::uint64_t>(member.claim);
  auto there = room.members.find(member.name);
  if (there != room.members.end() && there->second->far != node) {
    Client& before = *there->second;
    if (before.claim >= claim) return false;
    if (is_same(before, member.self)) {
      make_former(before, now);
    } else if (before.is_here()) {
      put_out(before, kElsewhere, now);
    } else {
      drop(&before, "is on another node now", now);
    }
    // With it the room may have gone.
    return show_far(node, in_room, member, now);
  }
  if (there == room.members.end()) {
    if (room.members.size() >= options_.max_members) return false;
    // What is wanted of a track of that node is said once: not of one that it had before, too.
    if (Client* const former = find_far({node, in_room, member.name})) {
      end_former(*former, "is there again", now);
    }
    Client* const client = connect(no_port, "the node '" + node + "'");
    client->far = node;
    client->room = &room;
    client->name = member.name;
    client->joined = now;
    there = room.members.emplace(member.name, client).first;
  }
  Client& client = *there->second;
  client.claim = claim;
  client.self = member.self;
  client.attributes = member.attributes;
  client.unranked = true;
  client.hand = std::min(member.hand, kMostHands);
  room.hands = std::max(room.hands, client.hand);
  std::set<std::string> held(member.held.begin(), member.held.end());
  if (std::exchange(client.held, held) != held) {
    for (const std::string& track : held) room.forget(client, track);
    seat_soon(room, now);  // who is let through again is ranked at the next poll
  }
  client.other = member.other;
  set_far_tracks(client, member, now);
  tell_changed(client, now);
  return true;
}

void Broker::set_far_tracks(Client& far, const Member& member, Timestamp now) {
  Room& room = *far.room;
  bool changed = false;
  for (const std::string& track : far.tracks()) {
    if (std::ranges::find(member.tracks, track) != member.tracks.end()) continue;
    end_publication(room, far, track);
    changed = true;
  }
  for (std::size_t i = 0; i < member.tracks.size(); ++i) {
    const std::string& track = member.tracks[i];
    const std::string about = i < member.abouts.size() ? member.abouts[i] : "";
    const Publication* const before = far.published(track);
    if (before != nullptr && before->about == about) continue;
    publish_far(far, track, about);
    changed = true;
  }
  if (changed) seat_soon(room, now);
}

void Broker::hide_far(const FarName& who, const std::string& reason, Timestamp now) {
  if (Client* const client = find_far(who)) drop(client, reason, now);
}

void Broker::hide_far_of(const std::string& node, const std::string& room,
                         const std::string& reason, Timestamp now) {
  const auto in = rooms_.find(room);
  if (in == rooms_.end()) return;
  std::vector<Client*> gone;
  for (const auto& [name, member] : in->second->members) {
    if (member->far == node) gone.push_back(member);
  }
  for (Client* former : in->second->formers) {
    if (former->far == node) gone.push_back(former);
  }
  for (Client* client : gone) drop(client, reason, now);
}

void Broker::begin_far(const FarName& who, const std::string& track, const std::string& about,
                       Timestamp now) {
  Client* const client = find_far(who);
  Publication* const before = client != nullptr ? client->published(track) : nullptr;
  if (before == nullptr) return;
  // Nothing has come of it yet: those who wait for it go on with that.
  if (before->about == about && before->clock.empty()) return;
  publish_far(*client, track, about);
  seat_soon(*client->room, now);
}

void Broker::publish_far(Client& far, const std::string& track, const std::string& about) {
  auto publication = std::make_unique<Publication>();
  publication->name = far.name;
  publication->track = track;
  publication->about = about;
  publication->former = far.former;
  if (const Publication* const before = far.published(track)) {
    // As its node was told, which hears of what changes.
    publication->wanted = before->wanted;
    publication->window = before->window;
    end_publication(*far.room, far, track);
  }
  far.publications[track] = std::move(publication);
  if (!far.former) far.room->note(far, track);
}

void Broker::on_far_item(const FarName& who, const std::string& track,
                         const paceline::MessageArrived& message, Timestamp now) {
  Client* const client = find_far(who);
  if (client == nullptr || client->closing) return;
  if (Publication* const p = client->published(track)) on_fragment(*client, *p, message, now);
}

void Broker::on_far_said(const std::string& in_room, Said said, Timestamp now) {
  const auto place = rooms_.find(in_room);
  if (place == rooms_.end() || !options_.chat) return;
  Room& room = *place->second;
  if (!said.to.empty()) {
    const auto to = room.members.find(said.to);
    if (to == room.members.end() || !to->second->is_here()) return;
    return tell_chat(*to->second, Payload::copy_of(std::string_view(serialise(FromBroker(said)))),
                     0);
  }
  said.number = room.history.next();
  const Payload text = Payload::copy_of(std::string_view(serialise(FromBroker(said))));
  for (const auto& [name, member] : room.members) tell_chat(*member, text, said.number);
  const Timestamp when = now - said.ago;
  room.history.add(std::move(said), options_.chat_kept, when, false);
}

}  // namespace qps
