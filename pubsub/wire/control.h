// What clients and the broker say to each other beside the data: JSON messages on a session's first
// stream, of the highest importance. docs/qps.md lists them with who sends which when.
//
//   client -> broker  {"type":"join","room":"den","name":"Ann","token":"...","attributes":{...}}
//                     {"type":"attributes","set":{"pinned":true,"old":null}}
//                     {"type":"publish","stream":2,"about":"...","track":"sound"}
//                     {"type":"unpublish","track":"sound"}
//                     {"type":"watch","viewer":1,"names":["Bob"],"window_ms":100,"track":"sound"}
//                     {"type":"watch","viewer":1,"best":"ORDER BY loudness DESC","seats":3,...}
//                     {"type":"pause","viewer":1}   {"type":"resume","viewer":1}
//                     {"type":"unwatch","viewer":1}
//                     {"type":"admin","do":"rooms","token":"...","room":"den","after":"Ann"}
//                     {"type":"admin","do":"stats"}
//                     {"type":"admin","do":"kick","room":"den","name":"Bob","reason":"..."}
//   broker -> client  {"type":"joined","room":"den","name":"Ann"}
//                     {"type":"member","name":"Bob","publishes":true,"tracks":["","sound"],
//                     "attributes":{...}}
//                     {"type":"listed"}      all who were there before have been told
//                     {"type":"left","name":"Bob","reason":"..."}
//                     {"type":"seat","viewer":1,"seat":0,"name":"Bob","stream":3,"about":"..."}
//                     {"type":"not_watched","viewer":1,"reason":"..."}   what was before stays
//                     {"type":"wanted","on":true,"track":"sound"}        to a publisher
//                     {"type":"begin","track":"sound"}                   to a publisher
//                     {"type":"demand","most":4000000,"least":300000,"track":"sound"}   bit/s; to a
//                     publisher
//                     {"type":"refused","reason":"..."}                  and then a close
//                     {"type":"moving","reason":"..."}                   come back, to another
//                     {"type":"removed","reason":"..."}                  do not come back by
//                     yourself
//                     {"type":"answer","do":"rooms","data":{...}}        to `admin`
//                     {"type":"answer","do":"kick","error":"..."}
//
// A "track" that is missing is the default one, "", as for who knows of no tracks; "tracks" that
// are missing of a member who publishes are the default one alone.
//
// Any text may come: parsers bound every field and give an Error for the rest. Unknown fields are
// left aside, unknown types are errors.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "pubsub/wire/criterion_text.h"

namespace qps {

inline constexpr std::size_t kMaxName = 64;          // bytes, of a room and of a member
inline constexpr std::size_t kMaxAbout = 2048;       // bytes
inline constexpr std::size_t kMaxAttributes = 1024;  // bytes, of a member's as JSON
inline constexpr int kMaxAttributeDepth = 6;

inline constexpr std::size_t kMaxTrack = 16;    // bytes, of a track's name
inline constexpr std::size_t kMaxTracks = 4;    // that a member publishes
inline constexpr std::size_t kMaxToken = 4096;  // bytes
inline constexpr std::size_t kMaxReason = 200;  // bytes, of a kick
inline constexpr std::uint32_t kMaxViewer = 1'000'000;
inline constexpr qvid::Duration kMaxWindow = std::chrono::seconds(10);

// Client to broker.
struct Join {
  std::string room;
  std::string name;  // unique in the room
  std::string token;
  nlohmann::json attributes = nlohmann::json::object();
};
struct SetAttributes {
  nlohmann::json set = nlohmann::json::object();  // null removes one
};
struct Publish {
  std::uint32_t stream = 0;
  std::string about;  // what a subscriber must know of the data; opaque here
  std::string track = {};
};
struct Unpublish {
  std::string track = {};
};
struct Watch {
  std::uint32_t viewer = 0;        // chosen by the client; one that exists is changed
  std::vector<std::string> names;  // a seat each; empty: the best
  std::string best;                // criteria, preference.h
  int seats = 1;                   // of the best
  qvid::Duration window{};         // between when an item falls due and when it must have gone out
  std::string track = {};          // which of theirs
  bool operator==(const Watch&) const = default;
};
struct PauseViewer {
  std::uint32_t viewer = 0;
};
struct ResumeViewer {
  std::uint32_t viewer = 0;
};
struct Unwatch {
  std::uint32_t viewer = 0;
};
enum class AdminAction { kRooms, kStats, kKick };
// A request of who has the admin right: as a member, or in no room, with a token of its own.
struct Admin {
  AdminAction action = AdminAction::kRooms;
  std::string token;   // of who is in no room, and has not said it yet
  std::string room;    // rooms: its members; empty: all rooms. kick: required
  std::string name;    // kick
  std::string reason;  // kick; told to who is kicked. At most kMaxReason bytes
  std::string after;   // rooms: behind that name, for the next page; empty: from the first
};
using ToBroker = std::variant<Join, SetAttributes, Publish, Unpublish, Watch, PauseViewer,
                              ResumeViewer, Unwatch, Admin>;

// Broker to client.
struct Joined {
  std::string room;
  std::string name;
};
// New in the room, or changed.
struct Member {
  std::string name;
  nlohmann::json attributes = nlohmann::json::object();
  std::vector<std::string> tracks = {};  // that it publishes, each once
  bool publishes() const { return !tracks.empty(); }
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
  bool operator==(const Demand&) const = default;
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
using FromBroker = std::variant<Joined, Member, Listed, Left, Seat, NotWatched, Wanted, Begin,
                                Demand, JoinRefused, Moving, Removed, Answer>;

std::string serialise(const ToBroker& message);
std::string serialise(const FromBroker& message);
qvid::Result<ToBroker> parse_to_broker(std::string_view text);
qvid::Result<FromBroker> parse_from_broker(std::string_view text);

// A name of a room or a member: 1..kMaxName bytes of UTF-8 without control characters, and without
// spaces at its ends.
bool is_name(std::string_view text);
// A name of a track: 0..kMaxTrack of a-z, 0-9 and the hyphen.
bool is_track(std::string_view text);
// An object of at most kMaxAttributes as text and kMaxAttributeDepth levels.
bool are_attributes(const nlohmann::json& value);

}  // namespace qps
