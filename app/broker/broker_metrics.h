// What a broker tells of itself to Prometheus, as text; docs/operating.md explains each metric.
// `links`: of a cluster's node, by the other node. `rooms`: as Broker::room_counts, of kRoomsTold.
// Pure. Thread: one at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/process.h"
#include "pubsub/broker/broker.h"
#include "pubsub/cluster/cluster.h"
#include "transport/session/host.h"

namespace qvid::app {

// A time series of each that is told: not of every room that there ever is.
inline constexpr std::size_t kRoomsTold = 50;

std::string metrics_text(const qps::BrokerStats& stats, const qps::BrokerCounts& counts,
                         const paceline::HostStats& host, bool draining, const ProcessUsage& usage,
                         const std::map<std::string, qps::Cluster::LinkState>& links = {},
                         const std::vector<qps::RoomCounts>& rooms = {});

}  // namespace qvid::app
