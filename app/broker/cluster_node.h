// A broker as a node of a cluster: the shell around qps::Cluster, with its store in NATS and its
// sessions to other nodes.
//
//   Broker <--> Cluster --ops--> NatsStore        news -> Cluster
//                       --orders--> sessions      events -> Cluster
//
// Sessions to other nodes trust the key that the directory has of them, and no other; a node without
// TLS is spoken to without. Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "pubsub/cluster/cluster.h"
#include "pubsub/nats/nats_store.h"
#include "transport/session/session.h"
#include "transport/socket/timer.h"

namespace qvid::app {

struct ClusterNodeOptions {
  qps::NatsOptions nats;
  std::string name;         // is_node_name
  std::string region;       // empty: none
  std::string advertise;    // host:port by which clients and other nodes reach this one
  std::string fingerprint;  // of its key; empty: without TLS
  paceline::SessionConfig session;
};

class ClusterNode {
 public:
  static constexpr Duration kTurn = std::chrono::milliseconds(25);
  // How long the node's end is told to the others.
  static constexpr Duration kFarewell = std::chrono::milliseconds(500);

  // Connects to NATS, and waits for it. `broker` outlives this, and is a node from now on.
  static Result<std::unique_ptr<ClusterNode>> open(boost::asio::io_context& io,
                                                   ClusterNodeOptions options, qps::Broker& broker,
                                                   qps::BrokerLog log);
  ~ClusterNode();
  ClusterNode(const ClusterNode&) = delete;
  ClusterNode& operator=(const ClusterNode&) = delete;

  // Its members are handed over: no others shall come.
  void drain();
  // Links end, and the others are told that it is gone.
  void stop();
  const qps::Cluster& cluster() const { return cluster_; }

 private:
  ClusterNode(boost::asio::io_context& io, ClusterNodeOptions options, qps::Broker& broker,
              qps::BrokerLog log);
  void on_news(const qps::StoreNews& news);
  void wake();
  void turn();
  void arm();
  void dial(const qps::LinkOrder& order);
  // Its link ends, and is tried again later.
  void give_up(const std::string& node, const std::string& why);
  void on_event(const std::string& node, const paceline::Session* of,
                paceline::SessionEvent&& event);

  boost::asio::io_context& io_;
  const ClusterNodeOptions options_;
  qps::BrokerLog log_;
  qps::Cluster cluster_;
  std::unique_ptr<qps::NatsStore> store_;
  std::map<std::string, std::shared_ptr<paceline::Session>> sessions_;  // by node
  paceline::Timer timer_;
  bool woken_ = false;
  bool stopped_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace qvid::app
