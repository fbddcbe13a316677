// What a broker tells of itself to Prometheus, as text; docs/operating.md explains each metric.
// packaging/monitoring has alerts and a dashboard made of it. Pure. Thread: one at a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "pubsub/broker/broker.h"
#include "pubsub/cluster/cluster.h"
#include "transport/session/host.h"

namespace qvid::app {

// A time series of each that is told: not of every room that there ever is.
inline constexpr std::size_t kRoomsTold = 50;

// What a broker may have at the most.
struct BrokerBounds {
  std::size_t clients = 0;  // max_clients
  std::size_t threads = 0;  // that it works on
};
// Of a cluster's node.
struct NodeState {
  bool directory = false;  // answers: new members can come
  bool displaced = false;  // by another program of its name
  std::size_t nodes = 0;   // others that the directory knows, dead ones until they are removed
  std::size_t names = 0;   // members of all nodes
  std::map<std::string, qps::Cluster::LinkState> links{};  // by the other node
};

NodeState state_of(const qps::Cluster& cluster, Timestamp now);

// `node`: empty where there is no cluster. `rooms`: as Broker::room_counts, of kRoomsTold.
std::string metrics_text(const qps::BrokerStats& stats, const qps::BrokerCounts& counts,
                         const paceline::HostStats& host, bool draining, const ProcessUsage& usage,
                         const BrokerBounds& bounds, const std::optional<NodeState>& node,
                         const std::vector<qps::RoomCounts>& rooms);

}  // namespace qvid::app
