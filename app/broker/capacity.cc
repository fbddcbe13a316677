#include "app/broker/capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pubsub/cluster/directory.h"
#include "pubsub/nats/nats_store.h"

namespace qvid::app {
namespace {

constexpr double kTreeFanOut = 4;   // nodes that one of a tree hands a track to
constexpr double kNatsBytes = 150;  // of a message beside key and value: subjects, headers
constexpr double kMostMembers = 1e8;
// Of put_every(), until a lease is written again.
constexpr double kMeanWait =
    .5 * (qps::Directory::kLeastWait + qps::Directory::kMostWait) / qps::Directory::kMostWait;
constexpr double kClaimWrites = 2;  // a name is written when it is claimed and removed in the end

// As a cluster of some size has them.
ByteCount node_entry_size() {
  const qps::NodeEntry entry{.incarnation = std::string(32, '0'),
                             .address = "east-1.broker.example:7400",
                             .fingerprint = std::string(64, '0'),
                             .secret = std::string(32, '0'),
                             .region = "east",
                             .members = 100};
  return ByteCount::of(qps::key_text(qps::NodeKey{"east-1"}).size() + qps::serialise(entry).size());
}
ByteCount name_entry_size() {
  const qps::NameEntry entry{
      .node = "east-1", .incarnation = std::string(32, '0'), .self = std::string(32, '0')};
  return ByteCount::of(
      qps::key_text(qps::NameKey{.room = "weekly meeting", .name = "Ann Example"}).size() +
      qps::serialise(entry).size());
}

// Of `things`, how many are drawn at least once when each of `draws` takes `taken` of them.
double drawn(double things, double taken, double draws) {
  if (things <= 0) return 0;
  return things * (1 - std::pow(1 - std::min(1.0, taken / things), draws));
}

}  // namespace

CapacityCosts measured_costs(bool tls) {
  return {.part_us = tls ? 11.5 : 8,
          .gbit_s = tls ? .2 : .07,
          .node_memory = 41_MiB,
          .client_memory = tls ? 190_KiB : 60_KiB,
          .news_us = 15,
          .write_us = 1000,
          .tell_us = 3.5};
}

const CapacityUse& Capacity::fullest() const {
  return *std::ranges::max_element(uses, {}, &CapacityUse::share);
}

std::string check_capacity(const RoomShape& room, const ClusterShape& cluster) {
  const double members = (room.publishers + room.viewers) * cluster.rooms;
  if (members < 1) return "nobody is in these rooms: say how many --publishers and --viewers";
  if (members > kMostMembers) {
    return fmt::format("{:g} members are more than this calculates with: {:g}", members,
                       kMostMembers);
  }
  const auto more = [&](const char* what, double value) {
    return fmt::format("{:g} {}, but {:g} nodes: say --nodes", value, what, cluster.nodes);
  };
  if (cluster.spread > cluster.nodes) return more("nodes to spread over", cluster.spread);
  if (cluster.regions > cluster.nodes) return more("regions", cluster.regions);
  return {};
}

Capacity capacity_of(const RoomShape& room, const ClusterShape& cluster,
                     const CapacityCosts& costs) {
  Capacity c;
  const double p = room.publishers;
  const double of_room = p + room.viewers;
  c.members = of_room * cluster.rooms;
  c.spread =
      std::min({cluster.spread > 0 ? cluster.spread : cluster.nodes, cluster.nodes, of_room});
  const double s = std::max(1.0, c.spread);
  const double watched = room.watched > 0 ? room.watched : p;
  const double rooms_a_node = cluster.rooms / cluster.nodes;

  // Of a room: tracks to clients, and to other nodes, where somebody there watches them.
  const double to_clients =
      p * std::min(watched, std::max(0.0, p - 1)) + room.viewers * std::min(watched, p);
  const double needed = p > 0 ? drawn(p, watched, of_room / s) / p : 0;  // share of tracks
  c.copies = (s - 1) * needed;
  const double to_nodes = p * c.copies;
  const double rate = static_cast<double>(room.rate.bps());
  c.link_mbps = room.rate.mbps() * to_nodes;
  const double regions = std::min(cluster.regions, s);
  c.between_regions_mbps = room.rate.mbps() * p * needed * s * (1 - 1 / regions) * cluster.rooms;
  // Each node of a room has a link to each other one of it.
  c.links = drawn(cluster.nodes - 1, s - 1, rooms_a_node * s);

  // Of a tree a track leaves each node for so many others at most.
  c.tree_copies = std::min(c.copies, kTreeFanOut);
  for (double reached = 1, level = 1; reached < s; ++c.tree_hops) {
    level *= kTreeFanOut;
    reached += level;
  }

  const double leases = cluster.nodes > 1
                            ? std::min(cluster.nodes / to_seconds(qps::Directory::kPutEvery),
                                       static_cast<double>(qps::Directory::kMostPuts)) /
                                  kMeanWait
                            : 0;
  const double names = cluster.nodes > 1 ? kClaimWrites * cluster.joins : 0;
  const double node_bytes = static_cast<double>(node_entry_size().value()) + kNatsBytes;
  const double name_bytes = static_cast<double>(name_entry_size().value()) + kNatsBytes;
  c.told = (leases + names) * cluster.nodes;
  c.told_mbps = (leases * node_bytes + names * name_bytes) * cluster.nodes * 8e-6;
  if (cluster.nodes > 1) {
    c.return_s = cluster.nodes * (cluster.nodes + c.members) * costs.tell_us * 1e-6 /
                 cluster.directory_cores;
  }
  if (cluster.nodes > 1) {
    c.snapshot =
        ByteCount(static_cast<std::int64_t>(cluster.nodes * node_bytes + c.members * name_bytes));
  }

  const double out = rooms_a_node * (to_clients + to_nodes);
  const double in = rooms_a_node * (p + to_nodes);
  const double sessions = c.members / cluster.nodes + c.links;
  const double cpu = (out + in) * (room.parts * costs.part_us * 1e-6 + rate * 1e-9 * costs.gbit_s) +
                     (leases + names) * costs.news_us * 1e-6;
  const double memory = static_cast<double>(costs.node_memory.value()) +
                        sessions * static_cast<double>(costs.client_memory.value());
  constexpr double kMiB = 1024 * 1024;
  c.uses = {
      {"line out", out * rate * 1e-6, cluster.line.mbps(), "Mbit/s"},
      {"line in", in * rate * 1e-6, cluster.line.mbps(), "Mbit/s"},
      {"processor", cpu, cluster.cores, "cores"},
      {"memory", memory / kMiB, static_cast<double>(cluster.memory.value()) / kMiB, "MiB"},
      {"clients and links", sessions, cluster.clients, ""},
  };
  if (cluster.nodes > 1) {
    const double a_node = (leases + names) / cluster.nodes;
    const double limit =
        static_cast<double>(qps::NatsStore::kOpThreads) / to_seconds(cluster.directory_rtt);
    const double servers = (leases + names) * costs.write_us + c.told * costs.tell_us;
    c.uses.push_back({"changes of a node", a_node, limit, "a second"});
    c.uses.push_back({"directory: servers", servers * 1e-6, cluster.directory_cores, "cores"});
    c.uses.push_back(
        {"directory: nodes", cluster.nodes, static_cast<double>(qps::Directory::kMaxNodes), ""});
    c.uses.push_back(
        {"directory: names", c.members, static_cast<double>(qps::Directory::kMaxNames), ""});
  }
  return c;
}

}  // namespace qvid::app
