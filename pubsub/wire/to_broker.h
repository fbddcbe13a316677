// What a client says to the broker:
//
//   {"type":"join","room":"den","name":"Ann","token":"...","attributes":{...}}
//   {"type":"attributes","set":{"pinned":true,"old":null}}
//   {"type":"publish","stream":2,"about":"...","track":"sound","losses":true}
//   {"type":"unpublish","track":"sound"}
//   {"type":"watch","viewer":1,"names":["Bob"],"window_ms":100,"track":"sound"}
//   {"type":"watch","viewer":1,"best":"ORDER BY loudness DESC","seats":3,...}
//   {"type":"pause","viewer":1}   {"type":"resume","viewer":1}   {"type":"unwatch","viewer":1}
//   {"type":"admin","do":"rooms","token":"...","room":"den","after":"Ann"}
//   {"type":"admin","do":"stats"}                  and "cluster"
//   {"type":"measure","way":"up",...}              measure.h
//   {"type":"admin","do":"kick","room":"den","name":"Bob","reason":"..."}
//   {"type":"admin","do":"hold","room":"den","name":"Bob","track":"sound","on":true}
//   {"type":"admin","do":"lock","room":"den","on":true}
//   {"type":"hand","up":true}
//   {"type":"say","text":"Hello!","to":"Bob"}      to all in the room, without "to"
//   {"type":"link",...}                          and what follows it: link.h
//   {"type":"play"}     said by who takes the broker for another kind of server, and is told so
//
// A "track" that is missing is the default one, "", as for who knows of no tracks.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "pubsub/wire/control_values.h"
#include "pubsub/wire/criterion_text.h"
#include "pubsub/wire/link.h"
#include "pubsub/wire/measure.h"

namespace qps {

struct Join {
  std::string room;
  std::string name;  // unique in the room
  std::string token;
  nlohmann::json attributes = nlohmann::json::object();
  std::vector<std::string> knows = {};  // kKnowsChat
  // A secret of the one who joins, by which the broker knows it again; at most kMaxSelf bytes. It is
  // told to nobody else. Empty: none.
  std::string self = {};
};
struct SetAttributes {
  nlohmann::json set = nlohmann::json::object();  // null removes one
};
struct Publish {
  std::uint32_t stream = 0;
  std::string about;  // what a subscriber must know of the data; opaque here
  std::string track = {};
  bool losses = false;  // it understands Lost
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
// A request of who has the admin right: as a member, or in no room, with a token of its own.
struct Admin {
  AdminAction action = AdminAction::kRooms;
  std::string token;       // of who is in no room, and has not said it yet
  std::string room;        // rooms: its members; empty: all rooms. kick: required
  std::string name;        // kick, hold
  std::string reason;      // kick; told to who is kicked. At most kMaxReason bytes
  std::string after;       // rooms: behind that name, for the next page; empty: from the first
  std::string track = {};  // hold: nothing of it goes to anybody
  bool on = false;         // hold, lock: from now on; else no longer
};
// Raises its hand, or takes it down. Only to a broker that knows kKnowsHands.
struct RaiseHand {
  bool up = false;
};
// Chat: at most kMaxChatText bytes, which the broker makes one clean line of. Only to a broker that
// knows kKnowsChat.
struct Say {
  std::string text;
  std::string to = {};  // a member's name; empty: all
};
// Of who takes the broker for a server of videos.
struct PlayHere {};
using ToBroker =
    std::variant<Join, SetAttributes, Publish, Unpublish, Watch, PauseViewer, ResumeViewer, Unwatch,
                 Admin, Measure, PlayHere, Say, RaiseHand, Link, AskBegin, Take, LeavePlace>;

std::string serialise(const ToBroker& message);
qvid::Result<ToBroker> parse_to_broker(std::string_view text);

}  // namespace qps
