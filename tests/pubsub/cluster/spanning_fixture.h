// Rooms that span nodes, for tests: real brokers and their parts of a cluster, with a store and links
// in memory.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/load/store_model.h"
#include "pubsub/cluster/cluster.h"
#include "tests/pubsub/broker_party.h"

namespace qps {

using qvid::lab::kClusterBegin;
using qvid::lab::StoreModel;

// The session of a link at the broker's end: what is sent waits until it is carried over.
class LinkPort : public FakePort {};

class SpanningNode {
 public:
  SpanningNode(StoreModel& to, const std::string& name, Timestamp& time)
      : store(to),
        now(time),
        broker(BrokerOptions{.local_admin = true},
               [this](const BrokerLine& line) { log += line.text + "\n"; }),
        cluster(
            name, entry(name), broker, [this](const BrokerLine& line) { log += line.text + "\n"; },
            [] {}) {
    broker.set_cluster(cluster);
  }
  static NodeEntry entry(const std::string& name) {
    return {.incarnation = name + "1",
            .address = name + ":7400",
            .fingerprint = {},
            .secret = "secret of " + name,
            .region = {}};
  }
  void hear() {
    Directory& d = cluster.directory();
    if (!reached) {
      connected = false;
      return;
    }
    if (!connected) {
      connected = true;
      d.on_snapshot_begin();
      for (const auto& [key, value] : store.values()) {
        d.on_entry(key, value.text, value.revision, now);
      }
      d.on_snapshot_end(now);
      heard = store.log().size();
    }
    for (; heard < store.log().size(); ++heard) {
      const auto& news = store.log()[heard];
      if (news.value) {
        d.on_entry(news.key, *news.value, news.revision, now);
      } else {
        d.on_removed(news.key, news.revision, now);
      }
    }
  }
  void act() {
    cluster.poll(now);
    for (const DirectoryOp& op : cluster.directory().take_ops()) {
      const auto [outcome, revision] =
          reached ? store.carry_out(op) : std::pair(DirectoryOutcome::kFailed, std::uint64_t{0});
      cluster.directory().on_outcome(op.id, outcome, revision, now);
    }
    cluster.poll(now);
    broker.poll(now);
  }

  StoreModel& store;
  Timestamp& now;
  std::string log;
  Broker broker;
  Cluster cluster;
  bool connected = false;
  bool reached = true;  // the store can be
  bool dead = false;
  std::size_t heard = 0;
};

class Spanning : public testing::Test {
 protected:
  struct Pipe {
    LinkPort port;
    Broker::Client* client = nullptr;
  };

  Spanning() {
    for (const char* name : {"a", "b", "c"}) {
      nodes[name] = std::make_unique<SpanningNode>(store, name, now);
    }
    run(std::chrono::seconds(3));
  }
  ~Spanning() override {
    while (!pipes.empty()) cut(pipes.begin()->first.first, pipes.begin()->first.second);
  }
  Broker& broker(const std::string& node) { return nodes[node]->broker; }

  // Ends the session by which `from` sees who is at `to`.
  void cut(const std::string& from, const std::string& to) {
    const auto pipe = pipes.extract({from, to});
    if (!pipe) return;
    broker(to).disconnect(pipe.mapped()->client, "cut", now);
    nodes[from]->cluster.on_link_down(to, "cut", now);
  }
  void carry_orders(const std::string& from) {
    for (const LinkOrder& order : nodes[from]->cluster.take_orders()) {
      if (order.what == LinkOrder::What::kDial) {
        if (severed.contains({from, order.node}) || nodes[order.node]->dead) {
          nodes[from]->cluster.on_link_down(order.node, "no way", now);
          continue;
        }
        auto& pipe = pipes[{from, order.node}];
        pipe = std::make_unique<Pipe>();
        pipe->client = broker(order.node).connect(pipe->port, "a node's address");
        nodes[from]->cluster.on_link_up(order.node);
      } else if (order.what == LinkOrder::What::kHangUp) {
        if (const auto pipe = pipes.extract({from, order.node})) {
          broker(order.node).disconnect(pipe.mapped()->client, order.text, now);
        }
      } else if (const auto pipe = pipes.find({from, order.node}); pipe != pipes.end()) {
        broker(order.node)
            .on_message(pipe->second->client,
                        {.stream = paceline::kFirstStream,
                         .importance = {},
                         .position = {},
                         .payload = Payload::copy_of(std::string_view(order.text))},
                        now);
      }
    }
  }
  void carry_pipes() {
    for (auto& [ends, pipe] : pipes) {
      const auto arrive = [&, &ends = ends, &pipe = pipe](const FakePort::Sent& sent) {
        nodes[ends.first]->cluster.on_link_message(ends.second,
                                                   {.stream = sent.stream,
                                                    .importance = sent.message.importance,
                                                    .position = sent.message.position,
                                                    .payload = sent.message.payload},
                                                   now);
        broker(ends.second)
            .on_ended(pipe->client,
                      {.stream = sent.stream,
                       .message = sent.id,
                       .outcome = paceline::Outcome::kDelivered,
                       .sent = sent.message.payload.byte_count(),
                       .size = sent.message.payload.byte_count()},
                      now);
      };
      for (const auto& told : std::exchange(pipe->port.control, {})) arrive(told);
      for (const auto& item : std::exchange(pipe->port.sent, {})) {
        ++crossed[ends];
        arrive(item);
      }
    }
  }
  void turn() {
    for (auto& [name, node] : nodes) {
      if (node->dead) continue;
      node->hear();
      node->act();
      carry_orders(name);
    }
    carry_pipes();
    for (auto& [name, node] : nodes) carry_orders(name);
    carry_pipes();
  }
  void run(Duration time) {
    for (const auto end = now + time; now < end;) {
      now += std::chrono::milliseconds(25);
      turn();
    }
  }
  std::unique_ptr<Party> join(const std::string& node, const std::string& name,
                              std::vector<std::string> knows = {kKnowsChat, kKnowsHands,
                                                                kKnowsOrder}) {
    auto made = std::make_unique<Party>(broker(node), now, name, "den", std::move(knows));
    run(std::chrono::milliseconds(400));
    return made;
  }
  static std::vector<std::string> known(const Party& party) {
    std::set<std::string> names;
    for (const auto& told : party.port.told) {
      if (const auto* member = std::get_if<Member>(&told)) names.insert(member->name);
      if (const auto* left = std::get_if<Left>(&told)) names.erase(left->name);
    }
    return {names.begin(), names.end()};
  }
  using Names = std::vector<std::string>;

  Timestamp now = kClusterBegin;
  StoreModel store;
  std::map<std::string, std::unique_ptr<SpanningNode>> nodes;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Pipe>> pipes;
  std::set<std::pair<std::string, std::string>> severed;
  std::map<std::pair<std::string, std::string>, int> crossed;
};

}  // namespace qps
