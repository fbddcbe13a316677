// What a Broker asks of the cluster that it is a node of; without one it asks nothing. Members on
// other nodes it has as clients too, which the cluster shows it (Broker::show_far).
//
// Thread: the broker's. Nothing here calls the broker back from inside the call.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "pubsub/wire/control.h"

namespace qps {

// A member on another node.
struct FarName {
  std::string node;
  std::string room;
  std::string name;
  auto operator<=>(const FarName&) const = default;
};

// What those here want of a track of a member on another node.
struct FarWanted {
  std::string track;
  bool on = false;
  Duration window{};  // the widest of those who watch
};
using FarWish = std::variant<FarWanted, Begin, Demand>;

class ClusterPort {
 public:
  virtual ~ClusterPort() = default;
  // A name, for one who is known again by `self`: Broker::on_claimed follows, with this number.
  virtual std::uint64_t claim(const std::string& room, const std::string& name,
                              const std::string& self, Timestamp now) = 0;
  virtual void release(const std::string& room, const std::string& name) = 0;
  // Who says so is a node of this cluster.
  virtual bool is_node(const Link& link) const = 0;
  virtual void wish(const FarName& who, const FarWish& wish) = 0;
  // Locked or opened here by an administrator, for all nodes: whom the room lets in; empty: everybody.
  virtual void lock(const std::string& room,
                    const std::optional<std::set<std::string>>& let_in) = 0;
  // nullptr: everybody. Also of a room that is not here; what changes of one that is here, it tells
  // (Broker::lock_as_elsewhere).
  virtual const std::set<std::string>* let_in(const std::string& room) const = 0;
  // Done here by an administrator, and to be done on the other nodes of that room.
  virtual void administer(const Admin& admin) = 0;
  // For administrators: nodes, links, and whether the directory answers.
  virtual nlohmann::json report(Timestamp now) const = 0;
  // As Joined::nodes.
  virtual std::vector<std::string> other_nodes() const = 0;
};

}  // namespace qps
