// Who may wait to greet: how many strangers a Host listens to at once, and whose place a newcomer
// takes.
//
// Newcomers are not refused for those that only wait: the oldest that has not greeted goes, who has
// had the longest time to. Of the newcomer's own address where that has all it may; else of the
// address that has the most, so that one who takes many places loses his own. Some places are for
// addresses that hold sessions: these can be resumed while strangers fill the rest.
//
// Addresses are counted by their group (transport/socket/address_group.h). Bound: Limits::all.
// Pure. Thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>

namespace paceline {

class GreetingPlaces {
 public:
  using Guest = std::uint64_t;  // given by add

  struct Limits {  // each positive; kept < all
    std::size_t all = 256;
    std::size_t each = 64;  // of one group
    std::size_t kept = 32;  // of all, for groups that hold sessions
  };
  explicit GreetingPlaces(Limits limits) : limits_(limits) {}

  // Who has to go before a newcomer may be added, if somebody has to. `known`: its group holds a
  // session.
  struct Room {
    bool is_there = false;        // after `leaves` has gone
    std::optional<Guest> leaves;  // remove it
  };
  Room make_room(const std::string& group, bool known) const;
  Guest add(const std::string& group, bool known);
  // From now on nobody takes its place: it has greeted, and is on its way to its session.
  void keep(Guest guest);
  void remove(Guest guest);
  std::size_t size() const { return guests_.size(); }

 private:
  struct Place {
    Guest guest;
    std::string group;
    bool known;
    bool kept = false;
  };
  std::optional<Guest> oldest_of(const std::string& group) const;
  // Of the group with the most, of those that are known or not.
  std::optional<Guest> oldest_of_largest(bool known) const;

  const Limits limits_;
  std::list<Place> guests_;  // the oldest first
  Guest next_ = 1;
};

}  // namespace paceline
