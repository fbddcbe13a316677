// The directory of a cluster as it is in the product, against a real server of NATS on this machine: so
// many nodes in this process, each with its connection, threads and qps::Directory, but without a broker.
// Measures what the server takes for a change and for a node that is told of it, which is what
// cluster_simulation.h wants to know.
#pragma once

#include <stop_token>

#include "base/duration_histogram.h"
#include "base/units.h"

namespace qvid::lab {

struct DirectoryTrial {
  int nodes = 10;
  double joins = 20;  // a second, at all nodes; who joined leaves after a second
  Duration duration = 10s;
};

struct DirectoryMeasure {
  double writes = 0;        // changes, a second
  double told = 0;          // of them to nodes, a second
  double server_cores = 0;  // of NATS
  double own_cores = 0;     // of this process, all nodes together
  DurationHistogram claims;
  std::int64_t refused = 0;
  ByteCount server_memory;
};

// Blocks for the duration and some 4 s. Throws std::runtime_error where there is no nats-server, or
// `stop` asks for the end.
DirectoryMeasure measure_directory(const DirectoryTrial& trial, const std::stop_token& stop);

}  // namespace qvid::lab
