// What a Broker keeps of its clients and rooms; for its own files only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pubsub/broker/broker.h"
#include "pubsub/broker/chat_history.h"
#include "pubsub/broker/client_budget.h"
#include "pubsub/broker/former_names.h"
#include "pubsub/broker/seat_feed.h"
#include "pubsub/criteria/viewer_preference.h"

namespace qps {

// The room is one of those that the right to administer is for.
inline bool covers(const Rights& rights, const std::string& room) {
  return rights.admin_room == "*" || rights.admin_room == room;
}

struct Broker::Viewer {
  Watch watch;
  bool paused = false;
  std::optional<ViewerPreference> preference;  // of one that watches the best
  std::vector<std::unique_ptr<SeatFeed>> seats;

  // Whose publications its seats show, or wait for.
  void add_publishers(std::set<std::string>& to) const {
    for (const auto& seat : seats) {
      if (seat->shown() != nullptr) to.insert(seat->shown()->name);
      if (seat->awaited() != nullptr) to.insert(seat->awaited()->name);
    }
  }
};

// What a session of another node has: a client in each room that it is in, by place.
struct Broker::LinkEnd {
  std::string node;
  struct Place {
    std::unique_ptr<Port> port;  // goes after the client
    Client* client = nullptr;
  };
  std::map<std::uint32_t, Place> places;
  std::unordered_map<paceline::MessageId, Client*> under_way;  // messages, by whose
};

class Broker::Client {
 public:
  Client(Port& session, Origin from) : port(session), origin(std::move(from)), who(origin.who) {}

  Port& port;
  const Origin origin;
  const std::string& who;
  std::string name;
  Room* room = nullptr;
  Rights rights;
  std::optional<Timestamp> rights_end;
  // What it showed for these, to be judged again; without attributes. Empty: nothing was asked for.
  std::optional<Join> shown;
  nlohmann::json attributes = nlohmann::json::object();
  Timestamp joined{};
  std::map<std::string, std::unique_ptr<Publication>> publications;  // by track
  std::string self;                                                  // FormerNames
  bool other = false;                                                // than who had its name before
  SeatFeed::Messages messages;  // of all seats; goes after them
  std::map<std::uint32_t, Viewer> viewers;
  bool closing = false;
  bool told_to_go = false;  // to another node
  // Its name is held there, and it is to have left here by then (broker_move.cc).
  std::optional<Timestamp> moving_until;
  bool former = false;  // it is of Room::formers
  ClientBudget budget;
  qvid::TokenBucket news;                          // that the others are told at once
  bool changed = false;                            // since the others were told
  std::string entry;                               // entry_of(member()); empty: not written yet
  bool unranked = false;                           // its attributes have changed
  std::map<std::string, Timestamp> next_criteria;  // by track, while it waits; kMaxTracks
  Timestamp came{};  // when it was first seen, or last administered, of one that has not joined
  int refusals = 0;
  struct Farewell {
    Timestamp ends;
    std::string reason;
  };
  std::optional<Farewell> farewell;  // of one that was told to go
  SlowViewerLog::Viewer slowness;
  std::vector<std::string> knowledge;  // as it has told
  qvid::TokenBucket chat;              // that it says
  std::map<paceline::MessageId, ByteCount> chat_under_way;
  ByteCount chat_waiting;                    // of these; kMaxChatWaiting
  std::unique_ptr<Measurement> measurement;  // of one that has asked for it

  std::string far;                // the node that it is on; empty: it is here
  bool relay = false;             // it is another node, in one room
  std::unique_ptr<LinkEnd> link;  // of a session of another node
  bool claims = false;            // its name, and is not in a room yet
  std::uint64_t claim = 0;        // as Member::claim
  // Not a person's: of another node, or on it.
  bool is_here() const { return far.empty() && !relay && !link; }

  std::int64_t hand = 0;       // as Member::hand
  std::set<std::string> held;  // tracks
  bool administers(const std::string& in_room) const {
    return rights.admin && covers(rights, in_room);
  }
  bool knows(const char* what) const {
    return std::ranges::find(knowledge, what) != knowledge.end();
  }
  // nullptr: it does not publish that track.
  Publication* published(const std::string& track) const {
    const auto it = publications.find(track);
    return it != publications.end() ? it->second.get() : nullptr;
  }
  // Of the session's streams; nullptr: nothing is published on it.
  Publication* published_on(std::uint32_t stream) const {
    const auto it = std::ranges::find_if(
        publications, [&](const auto& each) { return each.second->stream == stream; });
    return it != publications.end() ? it->second.get() : nullptr;
  }
  std::vector<std::string> tracks() const {
    std::vector<std::string> all;
    for (const auto& [track, publication] : publications) all.push_back(track);
    return all;
  }
  // As the others are told of it.
  Member member() const {
    return {.name = name,
            .attributes = attributes,
            .tracks = tracks(),
            .hand = hand,
            .held = {held.begin(), held.end()},
            .other = other};
  }
  // The same, as it is told beside others.
  const std::string& as_entry() {
    if (entry.empty()) entry = entry_of(member());
    return entry;
  }
  // Of what member() says.
  void note_changed() {
    changed = true;
    entry.clear();
  }
  std::size_t shown_seats() const {
    std::size_t all = 0;
    for (const auto& [id, viewer] : viewers) {
      all += static_cast<std::size_t>(std::ranges::count_if(
          viewer.seats, [](const auto& seat) { return seat->shown() != nullptr; }));
    }
    return all;
  }
  Member member_for_nodes() const {
    Member told = member();
    for (const auto& [track, publication] : publications) told.abouts.push_back(publication->about);
    told.self = self;
    told.claim = static_cast<std::int64_t>(claim);
    return told;
  }
};

struct Broker::Room {
  std::string name;
  std::map<std::string, Client*> members;  // those on other nodes too
  std::map<std::string, Client*> relays;   // by node
  std::vector<Client*> formers;            // who have moved, and no members (broker_move.cc)
  std::size_t here = 0;                    // members, and formers, who are
  FormerNames former;
  // By track. Those that nobody uses any more go when the next is made.
  std::map<std::string, std::weak_ptr<TrackPublishers>> publishers;
  Timestamp began{};
  qvid::TokenBucket seatings;
  bool unseated = false;  // seats may have to change
  qvid::TokenBucket news;
  std::string told_last{};  // whose news was, at a poll, for turns
  qvid::TokenBucket chat;
  ChatHistory history;
  std::int64_t hands = 0;  // raised, ever
  // Whoever comes under these names; kMaxHeldNames.
  static constexpr std::size_t kMaxHeldNames = 256;
  std::map<std::string, std::set<std::string>> held{};  // tracks by name
  // Of a locked room: who was in when it was, and may come back. Empty: it is not locked.
  std::optional<std::set<std::string>> let_in{};

  // Who publishes that track, for criteria.
  std::shared_ptr<TrackPublishers> publishers_of(const std::string& track) {
    if (auto known = publishers[track].lock()) return known;
    std::erase_if(publishers, [](const auto& each) { return each.second.expired(); });
    auto made = std::make_shared<TrackPublishers>();
    publishers[track] = made;
    for (const auto& [who, member] : members) {
      if (member->published(track) != nullptr) note(*member, track);
    }
    return made;
  }
  // It publishes that track, with these attributes. Who is held takes no seat from others, however
  // loud it says it is.
  void note(const Client& publisher, const std::string& track) {
    if (publisher.held.contains(track)) return;
    const auto of = existing(track);
    if (!of) return;
    // Refused is what a member may not have in the first place.
    (void)of->table.upsert(publisher.name, publisher.joined - began, publisher.attributes);
    ++of->version;
  }
  void forget(const Client& publisher, const std::string& track) {
    const auto of = existing(track);
    if (!of) return;
    of->table.remove(publisher.name);
    ++of->version;
    for (const auto& [who, member] : members) {
      for (auto& [id, viewer] : member->viewers) {
        if (viewer.preference && viewer.watch.track == track) {
          viewer.preference->remove(publisher.name);
        }
      }
    }
  }

 private:
  std::shared_ptr<TrackPublishers> existing(const std::string& track) const {
    const auto it = publishers.find(track);
    return it != publishers.end() ? it->second.lock() : nullptr;
  }
};

}  // namespace qps
