// What two nodes of a cluster say to each other beyond what a client and its broker do. The node that
// wants to see members of the other connects to it as a client does, and says who it is:
//
//   {"type":"link","node":"east-2","token":"..."}             answered by `linked`, or `refused`
//   {"type":"linked"}
//
// From then on each control message, both ways, begins with the number of a place and a blank; a
// place is one room, into which it comes by `join`, as who watches and is seen by nobody:
//
//   7 {"type":"join","room":"den","name":"east-2","attributes":{}}
//   7 {"type":"watch",...}       and pause, resume, unwatch, admin as of any client, and
//   7 {"type":"ask","viewer":1}                   somebody behind it needs an item to begin with
//   7 {"type":"take","viewer":1,"most":4000000,"least":300000}     what those behind it can take
//   7 {"type":"leave"}                            the place is free again
//
// Pure. Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace qps {

inline constexpr std::size_t kMaxLinkToken = 64;     // bytes
inline constexpr std::uint32_t kMaxPlace = 100'000;  // rooms that a link may be in

struct Link {
  std::string node;
  std::string token;
};
struct Linked {};
struct AskBegin {
  std::uint32_t viewer = 0;
};
// Both positive.
struct Take {
  std::uint32_t viewer = 0;
  qvid::DataRate most;
  qvid::DataRate least;
  bool contended = false;  // as in Demand
};
struct LeavePlace {};

struct Placed {
  std::uint32_t place = 0;
  std::string_view text;  // of what was parsed
};
// Empty: it does not begin as it must.
std::optional<Placed> parse_placed(std::string_view text);
std::string placed(std::uint32_t place, std::string_view text);

}  // namespace qps
