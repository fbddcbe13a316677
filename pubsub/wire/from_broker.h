// What the broker says to a client:
//
//   {"type":"joined","room":"den","name":"Ann"}
//   {"type":"member","name":"Bob","publishes":true,"tracks":["","sound"],"attributes":{...},
//    "other":true}                                             than who had the name before
//   {"type":"members","of":[{"name":"Bob",...},...]}           the same of several, to who knows it
//   {"type":"listed"}                                          all who were there have been told
//   {"type":"left","name":"Bob","reason":"..."}
//   {"type":"seat","viewer":1,"seat":0,"name":"Bob","stream":3,"about":"..."}
//   {"type":"not_watched","viewer":1,"reason":"..."}           what was before stays
//   {"type":"wanted","on":true,"track":"sound","losses":true}  to a publisher, as are these:
//   {"type":"begin","track":"sound"}
//   {"type":"demand","most":4000000,"least":300000,"track":"sound","contended":true}     bit/s
//   {"type":"lost","item":7,"part":1,"track":"sound"}          to one that wants it
//   {"type":"refused","reason":"..."}                          and then a close
//   {"type":"moving","reason":"..."}                           come back, to another
//   {"type":"removed","reason":"..."}                          do not come back by yourself
//   {"type":"answer","do":"rooms","data":{...}}                to `admin`
//   {"type":"measuring","stream":5,...}                        to `measure`: measure.h
//   {"type":"answer","do":"kick","error":"..."}
//   {"type":"hand","number":3}                                 one's own; 0: it is down
//   {"type":"held","track":"sound","on":true}                  nothing of that goes to anybody
//   {"type":"locked","on":true}                                nobody else comes in
//   {"type":"nodes","of":["b.example:7400#sha256:..."]}        as in joined: these there are now
//   {"type":"linked"}                                          to another node: link.h
//   {"type":"said","from":"Ann","text":"Hello!","number":7,"ago_ms":0,"to":"Bob"}
//   {"type":"not_said","reason":"..."}
//
// A "track" that is missing is the default one, "", as for who knows of no tracks; "tracks" that
// are missing of a member who publishes are the default one alone.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "pubsub/wire/control_values.h"
#include "pubsub/wire/envelope.h"
#include "pubsub/wire/link.h"
#include "pubsub/wire/measure.h"

namespace qps {

struct Joined {
  std::string room;
  std::string name;
  std::vector<std::string> knows = {};  // kKnowsChat: there is chat
  bool admin = false;                   // it may kick, hold and lock here
  // Other nodes of the broker's cluster, where the same room can be joined: "host:port", and behind
  // it, where the node has TLS, "#" and its fingerprint.
  std::vector<std::string> nodes = {};
};
// New in the room, or changed.
struct Member {
  std::string name;
  nlohmann::json attributes = nlohmann::json::object();
  std::vector<std::string> tracks = {};  // that it publishes, each once
  // Of who has raised its hand: counts in the room from 1 on, so the least was first. 0: it has not.
  std::int64_t hand = 0;
  std::vector<std::string> held = {};  // of its tracks, whether it publishes them or not
  // Not who had this name before, as far as the broker knows either (broker/former_names.h).
  bool other = false;
  // To another node alone, which tells its own clients nothing of these: what subscribers must know of
  // each of `tracks`, in their order; by what the member is known again; and by which revision of the
  // directory it has its name, the higher of two being right.
  std::vector<std::string> abouts = {};
  std::string self = {};
  std::int64_t claim = 0;
  bool publishes() const { return !tracks.empty(); }
};
// To who knows kKnowsMembers; the one who is told may be among them.
struct Members {
  std::vector<Member> of;
};
struct Listed {};
struct Left {
  std::string name;
  std::string reason;
};
// From now on that seat of that viewer shows `name`, whose items come on `stream`; an empty name:
// nobody.
struct Seat {
  std::uint32_t viewer = 0;
  int seat = 0;
  std::string name;
  std::uint32_t stream = 0;
  std::string about;
};
struct NotWatched {
  std::uint32_t viewer = 0;
  std::string reason;
};
// Somebody watches, or nobody does any more.
struct Wanted {
  bool on = false;
  std::string track = {};
  bool losses = false;  // what is lost from now on is told: Lost
};
// An item that one can begin with is wanted.
struct Begin {
  std::string track = {};
};
// What the viewers can take of this publisher: the best and the weakest of them.
struct Demand {
  qvid::DataRate most;
  qvid::DataRate least;
  std::string track = {};
  bool contended = false;  // one of them is beside a competitor: what it takes moves all the time
  bool operator==(const Demand&) const = default;
};
// What the only seat that shows it will not have. Told to who said `losses` with Publish.
struct Lost {
  PartId id;
  std::string track = {};
};
struct JoinRefused {
  std::string reason;
};
struct Moving {
  std::string reason;
};
// It is out, for that reason: kicked, without a right that it used, or its token has ended.
struct Removed {
  std::string reason;
};
struct Answer {
  AdminAction action = AdminAction::kRooms;
  std::string error;  // empty: it was done
  // What there is to tell: docs/qps.md has the fields.
  nlohmann::json data = nlohmann::json::object();
};
// Chat, one's own too; to who knows kKnowsChat. What was said to all before one came is told again.
struct Said {
  std::string from;
  std::string text;
  // Of what is said to all: counts in the room from 1 on; what is missing was lost on its way, or
  // is not kept. 0: to one.
  std::int64_t number = 0;
  qvid::Duration ago{};  // at most kMaxAgo
  std::string to = {};   // empty: to all
};
inline constexpr qvid::Duration kMaxAgo = std::chrono::hours(24 * 365);
// The last Say was not handed on.
struct NotSaid {
  std::string reason;
};
// Of the one who is told; to who knows kKnowsHands.
struct Hand {
  std::int64_t number = 0;
};
// By an administrator; to the one whose track it is, who knows kKnowsOrder.
struct Held {
  std::string track = {};
  bool on = false;
};
// By an administrator; to who knows kKnowsOrder.
struct Locked {
  bool on = false;
};
// To who knows kKnowsNodes, when those of Joined::nodes are others.
struct Nodes {
  std::vector<std::string> of;
};
using FromBroker = std::variant<Joined, Member, Listed, Left, Seat, NotWatched, Wanted, Begin,
                                Demand, Lost, JoinRefused, Moving, Removed, Answer, Measuring, Said,
                                NotSaid, Hand, Held, Locked, Members, Nodes, Linked>;

std::string serialise(const FromBroker& message);
// A Members in parts, so that what is told to many of many is written once: `entry_of` each, and of
// entries in that order as few messages as hold them.
std::string entry_of(const Member& member);
std::vector<std::string> messages_of(std::span<const std::string_view> entries);
qvid::Result<FromBroker> parse_from_broker(std::string_view text);

}  // namespace qps
