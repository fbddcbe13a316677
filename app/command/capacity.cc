// `qvid capacity`: what a cluster of brokers carries, by calculation.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/broker/capacity.h"
#include "app/command/commands.h"
#include "app/command/report.h"
#include "app/log/log.h"
#include "app/options/values.h"
#include "base/text.h"
#include "pubsub/cluster/directory.h"

namespace qvid::app {
namespace {

constexpr double kFull = .8;  // of a core, a line: what is left is for what comes unevenly

struct CapacityArguments {
  RoomShape room;
  ClusterShape cluster;
  std::string rate = "1M";
  double line_mbps = 1000;
  double memory_mb = 4096;
  double directory_rtt_ms = 1;
  bool plain = false;
};

// The fewest nodes on which nothing is fuller than kFull; 0: there is no such number.
double nodes_needed(const RoomShape& room, ClusterShape cluster, const CapacityCosts& costs) {
  const auto most = static_cast<double>(qps::Directory::kMaxNodes);
  for (cluster.nodes = 1; cluster.nodes <= most; ++cluster.nodes) {
    ClusterShape each = cluster;
    each.spread = std::min(each.spread, each.nodes);
    each.regions = std::min(each.regions, each.nodes);
    if (capacity_of(room, each, costs).fullest().share() <= kFull) return cluster.nodes;
  }
  return 0;
}

std::string counted(double count, const char* one) {
  return fmt::format("{:.0f} {}{}", count, one, count == 1 ? "" : "s");
}

std::string use_row(const CapacityUse& use) {
  constexpr double kWidth = 20;
  std::string bar(static_cast<std::size_t>(std::min(1.0, use.share()) * kWidth + .5), '#');
  bar.resize(static_cast<std::size_t>(kWidth), '.');
  const auto number = [](double value) {
    return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  };
  return fmt::format("  {:19} {} {:>5.0f}%  {:>8} of {}{}{}\n", use.what, bar, 100 * use.share(),
                     number(use.used), number(use.available), use.unit.empty() ? "" : " ",
                     use.unit);
}

std::string capacity_text(const ClusterShape& cluster, const Capacity& c, double needed) {
  std::string text = fmt::format("{} in {} on {}", counted(c.members, "member"),
                                 counted(cluster.rooms, "room"), counted(cluster.nodes, "node"));
  text += cluster.nodes > 1 ? fmt::format(", each room on {:.0f} of them\n\n", c.spread) : "\n\n";
  for (const CapacityUse& use : c.uses) text += use_row(use);
  const double more = kFull / c.fullest().share();
  text += fmt::format("\nFull first: {}. ", c.fullest().what);
  text += more >= 1 ? fmt::format("Until {:.0f}% there is room for {:.2g} times as much.\n",
                                  100 * kFull, more)
                    : fmt::format("That is over the {:.0f}% that this counts with.\n", 100 * kFull);
  text += needed > 0 ? fmt::format("Needed for these rooms: {}.\n", counted(needed, "node"))
                     : "No number of nodes carries these rooms.\n";
  if (cluster.nodes == 1) return text;
  return text +
         fmt::format(
             "\nA node has links to {:.3g} others. A track goes to {:.3g} other nodes: {:.4g} Mbit/s "
             "of a\nroom over all links, {:.0f} Mbit/s of all rooms between regions. In a tree, which "
             "Qvid\ndoes not have, it would leave a node {:.3g} times and take up to {}.\n"
             "The directory sends {:.0f} messages a second, {:.3g} Mbit/s; who starts reads {:.3g} MB, and\n"
             "after an outage it takes {:.2g} s until all have read it and let in again.\n",
             c.links, c.copies, c.link_mbps, c.between_regions_mbps, c.tree_copies,
             counted(c.tree_hops, "hop"), c.told, c.told_mbps,
             static_cast<double>(c.snapshot.value()) * 1e-6, c.return_s);
}

nlohmann::json capacity_json(const Capacity& c, double needed) {
  nlohmann::json uses = nlohmann::json::array();
  for (const CapacityUse& use : c.uses) {
    uses.push_back({{"what", use.what},
                    {"used", use.used},
                    {"available", use.available},
                    {"unit", use.unit},
                    {"share", use.share()}});
  }
  return {{"members", c.members},
          {"spread", c.spread},
          {"links", c.links},
          {"copies", c.copies},
          {"link_mbps", c.link_mbps},
          {"between_regions_mbps", c.between_regions_mbps},
          {"tree", {{"copies", c.tree_copies}, {"hops", c.tree_hops}}},
          {"told", c.told},
          {"told_mbps", c.told_mbps},
          {"snapshot_bytes", c.snapshot.value()},
          {"return_s", c.return_s},
          {"uses", std::move(uses)},
          {"fullest", c.fullest().what},
          {"nodes_needed", needed}};
}

ExitCode capacity(CapacityArguments& a, const CommonOptions& common) {
  const auto usage = [](const std::string& message) {
    log_error("{}", message);
    return kExitUsage;
  };
  const auto rate = parse_bitrate(a.rate);
  if (!rate) return usage("--rate: " + rate.error().message);
  a.room.rate = *rate;
  a.cluster.line = DataRate::from_bps(static_cast<std::int64_t>(a.line_mbps * 1e6));
  a.cluster.memory = ByteCount(static_cast<std::int64_t>(a.memory_mb * 1024 * 1024));
  a.cluster.directory_rtt = from_seconds(a.directory_rtt_ms / 1000);
  if (const auto wrong = check_capacity(a.room, a.cluster); !wrong.empty()) return usage(wrong);
  const CapacityCosts costs = measured_costs(!a.plain);
  const Capacity c = capacity_of(a.room, a.cluster, costs);
  const double needed = nodes_needed(a.room, a.cluster, costs);
  fmt::print("{}", common.json ? dump(capacity_json(c, needed)) + "\n"
                               : capacity_text(a.cluster, c, needed));
  return c.fullest().share() <= 1 ? kExitOk : kExitFailure;
}

}  // namespace

Run add_capacity(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<CapacityArguments>();
  CLI::App* c =
      qvid.add_subcommand("capacity", "Calculate what brokers carry, and what is full first");
  c->footer(
      "Calls of nine:       qvid capacity --rooms 5\n"
      "A lecture:           qvid capacity --publishers 1 --viewers 2000 --nodes 3\n"
      "One room, 3 regions: qvid capacity --publishers 30 --watched 9 --nodes 6 --regions 3\n\n"
      "Exit code: 0 all fits, 1 something is over 100%. How it calculates, and what was measured\n"
      "for it: docs/capacity.md.");
  RoomShape& room = a->room;
  ClusterShape& cluster = a->cluster;
  const auto number = [c](const char* name, double& value, double least, double most,
                          const char* text) {
    const auto check = [least, most](const std::string& word) -> std::string {
      char* end = nullptr;
      const double said = std::strtod(word.c_str(), &end);
      if (end != word.c_str() && *end == '\0' && said >= least && said <= most) return {};
      return fmt::format("{} is not {:g} to {:g}", in_quotes(word), least, most);
    };
    c->add_option(name, value, text)->capture_default_str()->check(check);
  };
  number("--publishers", room.publishers, 0, 1e6,
         "Of a room: who show themselves, and watch the others");
  number("--viewers", room.viewers, 0, 1e6, "Of a room: who only watch");
  number("--watched", room.watched, 0, 1e6, "Tracks that each watches at most; 0: all");
  c->add_option("--rate", a->rate, "Of a track, with its sound, as 1M or 300k")
      ->capture_default_str();
  number("--parts", room.parts, 1, 1e4,
         "Of a track, a second: frames times layers; of who speaks 50 to 100 more");
  number("--rooms", cluster.rooms, 1, 1e6, "Rooms of this shape");
  number("--nodes", cluster.nodes, 1, 1e5, "Brokers of the cluster");
  number("--spread", cluster.spread, 0, 1e5,
         "Nodes on which a room has members; 0: as many as can be, which costs the most");
  number("--regions", cluster.regions, 1, 1e5, "Regions, with equally many nodes each");
  number("--joins", cluster.joins, 0, 1e6, "Who join a second, at all nodes; as many leave");
  number("--cores", cluster.cores, .1, 1024, "Of a node, for its broker");
  number("--line", a->line_mbps, 1, 1e6, "Of a node, each way, in Mbit/s");
  number("--memory", a->memory_mb, 64, 1e7, "Of a node, for its broker, in MiB");
  number("--max-clients", cluster.clients, 1, 1e6, "Of a node: `max_clients` of its configuration");
  number("--directory-cores", cluster.directory_cores, .1, 1024, "Of all servers of NATS together");
  number("--directory-rtt", a->directory_rtt_ms, .01, 2000, "From a node to NATS, in ms");
  c->add_flag("--plain", a->plain, "Without TLS");
  return [a, &common] { return capacity(*a, common); };
}

}  // namespace qvid::app
