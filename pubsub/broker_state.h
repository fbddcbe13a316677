// What a Broker keeps of its clients and rooms; for its own files only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pubsub/broker.h"
#include "pubsub/seat_feed.h"
#include "pubsub/viewer_preference.h"

namespace qps {

struct Broker::Viewer {
  Watch watch;
  bool paused = false;
  std::optional<ViewerPreference> preference;  // of one that watches the best
  std::vector<std::unique_ptr<SeatFeed>> seats;
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
  nlohmann::json attributes = nlohmann::json::object();
  Timestamp joined{};
  std::unique_ptr<Publication> publication;
  SeatFeed::Messages messages;  // of all seats; goes after them
  std::map<std::uint32_t, Viewer> viewers;
  bool closing = false;
  Timestamp second{};  // the one that requests are counted in
  int requests = 0;
  bool changed = false;  // its attributes, since the others were told
  Timestamp next_criteria{};
  Timestamp came{};  // when it was first seen, or last administered, of one that has not joined
  int refusals = 0;
  struct Farewell {
    Timestamp ends;
    std::string reason;
  };
  std::optional<Farewell> farewell;  // of one that was told to go
  SlowViewerLog::Viewer slowness;
};

struct Broker::Room {
  std::string name;
  std::map<std::string, Client*> members;
  PublisherTable table;
  std::uint64_t version = 1;  // of the table
  Timestamp began{};

  void note(const Client& publisher) {
    // Refused is what a member may not have in the first place.
    (void)table.upsert(publisher.name, publisher.joined - began, publisher.attributes);
    ++version;
  }
  void forget(const Client& publisher) {
    table.remove(publisher.name);
    ++version;
    for (const auto& [who, member] : members) {
      for (auto& [id, viewer] : member->viewers) {
        if (viewer.preference) viewer.preference->remove(publisher.name);
      }
    }
  }
};

}  // namespace qps
