// Who may wait to greet: how many strangers a Host listens to at once, and whose place a newcomer
// takes.
//
// Newcomers are not refused for those that only wait: the oldest that has not greeted goes, who has
// had the longest time to. But nobody goes before he has had Limits::undisturbed for it: where more
// come at once than can be heard, as all clients of a server that was away, those who were first are
// heard, and the others come again; else nobody would get to the end of his handshake. Of the
// newcomer's own address where that has all it may; else of the address that has the most, so that
// one who takes many places loses his own. Some places are for addresses that hold sessions: these
// can be resumed while strangers fill the rest.
//
// Addresses are counted by their group (transport/socket/address_group.h). Bound: Limits::all.
// Pure. Thread: one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "base/units.h"

namespace paceline {

class GreetingPlaces {
 public:
  using Guest = std::uint64_t;  // given by add

  struct Limits {  // numbers positive; kept < all
    std::size_t all = 256;
    std::size_t each = 64;  // of one group
    std::size_t kept = 32;  // of all, for groups that hold sessions
    qvid::Duration undisturbed = std::chrono::milliseconds(200);
  };
  explicit GreetingPlaces(Limits limits) : limits_(limits) {}

  // Who has to go before a newcomer may be added, if somebody has to. `known`: its group holds a
  // session.
  struct Room {
    bool is_there = false;        // after `leaves` has gone
    std::optional<Guest> leaves;  // remove it
  };
  Room make_room(const std::string& group, bool known, qvid::Timestamp now) const;
  Guest add(const std::string& group, bool known, qvid::Timestamp now);
  // From now on nobody takes its place: it has greeted, and is on its way to its session.
  void keep(Guest guest);
  void remove(Guest guest);
  std::size_t size() const { return guests_.size(); }

 private:
  struct Place {
    Guest guest;
    std::string group;
    bool known;
    qvid::Timestamp came;
    bool kept = false;
  };
  // Who may have to go.
  bool may_leave(const Place& place, qvid::Timestamp now) const {
    return !place.kept && now - place.came >= limits_.undisturbed;
  }
  std::optional<Guest> oldest_of(const std::string& group, qvid::Timestamp now) const;
  // Of the group with the most, of those that are known or not.
  std::optional<Guest> oldest_of_largest(bool known, qvid::Timestamp now) const;

  const Limits limits_;
  std::list<Place> guests_;  // the oldest first
  Guest next_ = 1;
};

}  // namespace paceline
