// A cluster of many nodes in virtual time: the directory's client as it is in the product, one a node,
// and servers of the directory that take so much time for each change and each node that is told of it.
// Finds how many nodes such servers carry, and what happens beyond.
//
// Phases: nodes and members come, which is not measured; then for `duration` members join and leave;
// then the servers are away until nobody is let in anywhere, and come back. Pure. Thread: any.
#pragma once

#include "base/duration_histogram.h"
#include "base/units.h"
#include "lab/load/store_model.h"

namespace qvid::lab {

struct ClusterSimulation {
  static constexpr Duration kSettle = 3s;
  static constexpr Duration kMostReturn = 60s;

  int nodes = 10;
  int members = 100;  // in rooms of kRoom
  double joins = 1;   // a second, at all nodes; as many leave
  Duration duration = 10s;
  StoreModel::Costs costs{};
  // From a node to the directory, on average; half as much to half as much again.
  Duration way = 1ms;
  std::uint64_t seed = 1;

  static constexpr int kRoom = 9;
};

struct ClusterOutcome {
  double busy = 0;             // share of the time that the servers worked
  double told = 0;             // messages of the directory to nodes, a second
  DurationHistogram claims;    // until somebody who joins is let in
  std::int64_t refused = 0;    // who was not let in, since the directory did not answer
  double silent = 0;           // share of the time that a node takes in nobody, over all nodes
  std::int64_t most_dead = 0;  // living nodes that one of the nodes took for dead at the same time
  std::int64_t lost = 0;       // names that their node had to give up
  ByteCount directory;         // what it holds: keys and values
  // Once the servers are back, until all nodes take in members again; kMostReturn: not in it.
  Duration back{};
};

ClusterOutcome simulate(const ClusterSimulation& simulation);

}  // namespace qvid::lab
