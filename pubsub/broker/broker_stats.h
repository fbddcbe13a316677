// What a Broker counts: what has happened, ever, and what is there now.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <numeric>
#include <string>

#include "base/duration_histogram.h"
#include "base/units.h"
#include "pubsub/broker/measurement.h"

namespace qps {

// Why a join, or a request of an administrator, was refused, but for the token's sake.
enum class Refusal : std::uint8_t {
  kName,   // is none that a member may have
  kTaken,  // the name is
  kRoomFull,
  kLocked,     // the room is
  kRooms,      // as many as there may be
  kMemory,     // too little
  kRight,      // to administer
  kNoVideos,   // asked to play one
  kDirectory,  // of the cluster does not answer
};
inline constexpr std::array<const char*, 9> kRefusals{
    "name", "taken", "room_full", "locked", "rooms", "memory", "right", "no_videos", "directory"};

struct BrokerStats {
  std::int64_t joined = 0;                                // ever
  std::array<std::int64_t, kRefusals.size()> refusals{};  // by Refusal
  std::int64_t refused() const {
    return std::accumulate(refusals.begin(), refusals.end(), std::int64_t{0});
  }
  std::int64_t wrong_tokens = 0;          // refused for these
  std::int64_t turned_away = 0;           // sessions beyond those that one address may have
  std::int64_t removed = 0;               // kicked, or their token ended
  std::int64_t faults = 0;                // clients closed for what they sent
  std::int64_t slowed = 0;                // times that a client went beyond its budget
  std::int64_t put_off = 0;               // messages that waited for that
  std::int64_t hoarders = 0;              // of the faults, for the memory that they held
  std::int64_t items_without_memory = 0;  // fragments given up for want of it
  std::int64_t criteria_steps = 0;        // of SQLite's machine
  std::int64_t fragments_in = 0;
  std::int64_t fragments_out = 0;
  qvid::ByteCount bytes_in;
  qvid::ByteCount bytes_out;        // delivered
  std::int64_t fragments_lost = 0;  // given up for slow viewers
  std::int64_t switches = 0;        // seats that went from one publication to another
  // From a fragment's arrival here to a viewer's word that it has it.
  qvid::DurationHistogram delivery{};
  MeasuringStats measuring{};
  std::int64_t said = 0;       // messages of chat
  std::int64_t not_said = 0;   // refused
  std::int64_t chat_lost = 0;  // to one recipient each, who did not take them
};

nlohmann::json json_of(const BrokerStats& stats);

// What is there now.
struct BrokerCounts {
  std::size_t clients = 0;
  std::size_t members = 0;  // clients in a room
  std::size_t far = 0;      // members of these rooms on other nodes
  std::size_t links = 0;    // other nodes that are connected here
  std::size_t rooms = 0;
  std::size_t publications = 0;      // tracks of members
  std::size_t viewers = 0;           // subscriptions, of one seat or more
  std::size_t seats = 0;             // that show a publication
  std::size_t slow_clients = 0;      // slow_viewer_log.h
  qvid::ByteCount memory;            // held by messages
  qvid::ByteCount max_memory;        // that they may
  qvid::ByteCount memory_allowed{};  // and now, as the machine has it
};

// Of one room, now.
struct RoomCounts {
  std::string room;
  std::size_t members = 0;  // here
  std::size_t far = 0;      // on other nodes
  std::size_t tracks = 0;   // of members here
  std::size_t seats = 0;    // of members here, those that show something
};

}  // namespace qps
