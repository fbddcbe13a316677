// What a broker tells of itself to Prometheus, as text; docs/operating.md explains each metric.
// Pure. Thread: one at a time.
#pragma once

#include <string>

#include "base/process.h"
#include "pubsub/broker/broker.h"

namespace qvid::app {

std::string metrics_text(const qps::BrokerStats& stats, const qps::BrokerCounts& counts,
                         bool draining, const ProcessUsage& usage);

}  // namespace qvid::app
