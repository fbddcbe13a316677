// A node of a cluster of brokers: what it has from the directory, its broker and its links to other
// nodes, brought together.
//
//   Broker --claim, release, wish--> Cluster --> Directory --ops--> store
//                                       |  <-----events, news------
//                                       +--> NodeLink, one a node with members in the same rooms
//                                              --> Order: dial, say, hang up --> sessions
//
// A room is on each node that has members of it; each of these nodes has a link to each other one, by
// which it sees who is there: one hop, from the origin. What goes over it is in node_link.h.
//
// The directory may be silent: links go on, and are made anew by what was known; and a node that it
// takes for dead is seen as long as its link shows somebody. A link may be cut
// while the directory works: both sides are without the other's members until it is there again.
//
// Displaced by another program of its name, nobody else sees its members any more: they are handed
// over to other nodes, where there are any; else their calls go on.
//
// Bounds: links, Directory::kMaxNodes. Pure. Thread: the broker's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/backoff.h"
#include "pubsub/cluster/directory.h"
#include "pubsub/cluster/node_link.h"

namespace qps {

// For the shell, of the link to that node.
struct LinkOrder {
  enum class What : std::uint8_t { kDial, kSay, kHangUp };
  What what = What::kDial;
  std::string node;
  std::string address = {};      // dial: host:port
  std::string fingerprint = {};  // dial; empty: without TLS
  std::string text = {};         // say: on the first stream; hang up: why
};

class Cluster : public ClusterPort {
 public:
  // Until a link that nobody needs any more is given up.
  static constexpr Duration kIdle = std::chrono::seconds(10);
  // Until what a link shows, and the load of this node, are looked at again.
  static constexpr Duration kShowAgain = std::chrono::milliseconds(200);

  // `broker` outlives this; `wake`: there are ops, orders or events, poll soon (not from inside).
  Cluster(std::string node, NodeEntry entry, Broker& broker, BrokerLog log,
          std::function<void()> wake);

  // News of the store go in there, and poll follows.
  Directory& directory() { return directory_; }
  const Directory& directory() const { return directory_; }
  // At least every Directory::kTryAgain.
  void poll(Timestamp now);
  std::vector<LinkOrder> take_orders();

  // Of a link that was dialled: a session is there, or is not any more, or could not be made.
  void on_link_up(const std::string& node);
  void on_link_message(const std::string& node, const paceline::MessageArrived& message,
                       Timestamp now);
  void on_link_down(const std::string& node, const std::string& reason, Timestamp now);
  // Its members are handed over: nobody else shall come here.
  void drain() { directory_.set_draining(); }

  struct LinkState {
    bool ready = false;
    std::size_t rooms = 0;
    std::size_t members = 0;
    NodeLink::Counts counts;
    std::int64_t lost = 0;
  };
  std::map<std::string, LinkState> links() const;

  // ClusterPort:
  std::uint64_t claim(const std::string& room, const std::string& name, const std::string& self,
                      Timestamp now) override;
  void release(const std::string& room, const std::string& name) override;
  bool is_node(const Link& link) const override;
  void wish(const FarName& who, const FarWish& wish) override;
  void lock(const std::string& room, const std::optional<std::set<std::string>>& let_in) override;
  const std::set<std::string>* let_in(const std::string& room) const override {
    return directory_.let_in(room);
  }
  void administer(const Admin& admin) override;
  nlohmann::json report(Timestamp now) const override;
  std::vector<std::string> other_nodes() const override;

 private:
  struct Held {
    explicit Held(NodeLink made) : link(std::move(made)) {}
    NodeLink link;
    bool dialled = false;
    std::string incarnation;  // of the node that was dialled
    qvid::Backoff backoff;
    Timestamp next{};                     // when to dial
    std::optional<Timestamp> idle_since;  // nothing is needed of it
    std::int64_t lost = 0;                // sessions, ever
  };

  void take_events(Timestamp now);
  void plan(Timestamp now);
  void look_what_is_wanted();
  void tend(const std::string& node, Held& held, Timestamp now);
  void order_texts(const std::string& node, Held& held);

  Broker& broker_;
  BrokerLog log_;
  std::function<void()> wake_;
  Directory directory_;
  std::map<std::string, Held> links_;
  std::vector<LinkOrder> orders_;
  Timestamp now_{};                                      // of the last poll
  std::map<std::string, std::set<std::string>> wanted_;  // rooms by node
  // Of what it was made.
  std::uint64_t directory_changes_ = 0;
  std::uint64_t room_changes_ = 0;
  std::optional<Timestamp> loaded_;
  std::optional<Timestamp> shown_again_;
  bool told_silent_ = false;
  bool told_displaced_ = false;
};

}  // namespace qps
