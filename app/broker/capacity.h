// What a cluster of brokers carries, by calculation: what rooms of one shape ask of each node, of the
// links between nodes and of the directory, and what of it is full first. docs/capacity.md has the
// formulas, and where the costs were measured.
//
// Nodes are alike, and rooms and their members are spread over them evenly. Pure. Thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace qvid::app {

// Its members are its publishers and its viewers.
struct RoomShape {
  double publishers = 9;  // who show themselves, one track each, and watch the others
  double viewers = 0;     // who only watch
  double watched = 0;     // tracks that a member watches at most; 0: all
  DataRate rate = DataRate::from_kbps(1000);  // of a track
  double parts = 120;  // of a track, a second: frames times layers, and of who speaks 50 to 100
};

struct ClusterShape {
  double rooms = 1;
  double nodes = 1;
  double spread = 0;   // nodes on which a room has members; 0: as many as can be
  double regions = 1;  // with equally many nodes
  double joins = 1;    // a second, in the whole cluster; as many leave
  double cores = 1;    // of a node, for its broker
  DataRate line = DataRate::from_kbps(1'000'000);  // of a node, each way
  ByteCount memory = 4096_MiB;                     // of a node, for its broker
  double clients = 1024;                           // of a node: `max_clients`
  double directory_cores = 2;                      // of all servers of the directory
  Duration directory_rtt = 1ms;                    // from a node to the directory
};

// On the machine that docs/capacity.md names.
struct CapacityCosts {
  double part_us = 0;       // CPU of a broker for a part in or out ...
  double gbit_s = 0;        // ... and for its bytes: CPU seconds a Gbit
  ByteCount node_memory;    // of a broker without clients
  ByteCount client_memory;  // of a client, or a link
  double news_us = 0;       // CPU of a node for a change that the directory tells
  double write_us = 0;      // CPU of the directory's servers for a change ...
  double tell_us = 0;       // ... and for telling a node of it
};
CapacityCosts measured_costs(bool tls);

struct CapacityUse {
  std::string what;  // as "line out"
  double used = 0;
  double available = 0;
  std::string unit;
  double share() const { return used / available; }  // over 1: too much
};

struct Capacity {
  double members = 0;               // of all rooms
  double spread = 0;                // nodes of a room, as counted with
  double links = 0;                 // other nodes that a node is linked to, on average
  double copies = 0;                // times that a track leaves its node for other nodes
  double link_mbps = 0;             // of one room, over all links
  double between_regions_mbps = 0;  // of all rooms
  double told = 0;                  // messages of the directory to nodes, a second
  double told_mbps = 0;             // of all of them
  ByteCount snapshot;               // what the directory holds, and a node reads when it starts
  double return_s = 0;            // after an outage of the directory, until all nodes have read it
  double tree_copies = 0;         // as `copies`, in a tree of nodes that hand tracks on ...
  double tree_hops = 0;           // ... with so many hops to the last
  std::vector<CapacityUse> uses;  // of a node, then of the directory
  const CapacityUse& fullest() const;
};

// Says what does not fit together. Empty: it can be calculated with.
std::string check_capacity(const RoomShape& room, const ClusterShape& cluster);
// Precondition: check_capacity has nothing to say, and no number is negative; nodes and regions are 1 or
// more, and of what is available there is some.
Capacity capacity_of(const RoomShape& room, const ClusterShape& cluster,
                     const CapacityCosts& costs);

}  // namespace qvid::app
