#include "lab/load/directory_command.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "lab/emulator/stop_on_signal.h"
#include "lab/load/cluster_simulation.h"
#include "lab/load/directory_trial.h"

namespace qvid::lab {
namespace {

struct DirectoryArguments {
  std::vector<int> nodes{10, 30, 100, 300, 1000};
  double members = 10;  // a node
  double joins = .1;    // a second, a node
  double time = 10;
  double write_us = 0;
  double tell_us = 0;
  double cores = 1;
  double way_ms = 1;
  std::uint64_t seed = 1;
  bool real = false;
};

nlohmann::json join_json(const DurationHistogram& claims) {
  return {{"p50", to_ms(claims.percentile(.5))},
          {"p99", to_ms(claims.percentile(.99))},
          {"worst", to_ms(claims.most())}};
}

int simulate_all(const DirectoryArguments& a, bool json) {
  nlohmann::json rows = nlohmann::json::array();
  if (!json) {
    fmt::print("{:>6}{:>9}{:>8}{:>11}{:>7}{:>9}{:>9}{:>9}{:>9}{:>8}{:>6}{:>6}{:>8}{:>8}\n", "nodes",
               "members", "joins/s", "told/s", "busy", "join p50", "p99 ms", "worst", "refused",
               "silent", "dead", "lost", "kB", "back s");
  }
  const auto cost = [&](double us) { return from_seconds(us * 1e-6 / a.cores); };
  for (const int nodes : a.nodes) {
    const ClusterSimulation simulation{
        .nodes = nodes,
        .members = static_cast<int>(a.members * nodes),
        .joins = a.joins * nodes,
        .duration = from_seconds(a.time),
        .costs = {.write = cost(a.write_us), .tell = cost(a.tell_us)},
        .way = from_seconds(a.way_ms / 1000),
        .seed = a.seed};
    const ClusterOutcome o = simulate(simulation);
    if (json) {
      rows.push_back({{"nodes", nodes},
                      {"members", simulation.members},
                      {"joins", simulation.joins},
                      {"told", o.told},
                      {"busy", o.busy},
                      {"join_ms", join_json(o.claims)},
                      {"refused", o.refused},
                      {"silent", o.silent},
                      {"dead", o.most_dead},
                      {"lost", o.lost},
                      {"directory_bytes", o.directory.value()},
                      {"back_s", to_seconds(o.back)}});
      continue;
    }
    fmt::print(
        "{:>6}{:>9}{:>8.3g}{:>11.0f}{:>7.2f}{:>9.0f}{:>9.0f}{:>9.0f}{:>9}{:>8.2f}{:>6}{:>6}"
        "{:>8.0f}{:>8.1f}\n",
        nodes, simulation.members, simulation.joins, o.told, o.busy, to_ms(o.claims.percentile(.5)),
        to_ms(o.claims.percentile(.99)), to_ms(o.claims.most()), o.refused, o.silent, o.most_dead,
        o.lost, static_cast<double>(o.directory.value()) / 1000, to_seconds(o.back));
    std::fflush(stdout);
  }
  if (json) fmt::print("{}\n", rows.dump(2));
  return 0;
}

int measure_all(const DirectoryArguments& a, bool json, const std::stop_token& stop) {
  nlohmann::json rows = nlohmann::json::array();
  if (!json) {
    fmt::print("{:>6}{:>8}{:>9}{:>10}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}\n", "nodes", "joins/s",
               "writes/s", "told/s", "NATS", "nodes'", "join p50", "p99 ms", "refused", "MB");
  }
  for (const int nodes : a.nodes) {
    const DirectoryMeasure m = measure_directory(
        {.nodes = nodes, .joins = a.joins * nodes, .duration = from_seconds(a.time)}, stop);
    if (json) {
      rows.push_back({{"nodes", nodes},
                      {"joins", a.joins * nodes},
                      {"writes", m.writes},
                      {"told", m.told},
                      {"server_cores", m.server_cores},
                      {"own_cores", m.own_cores},
                      {"join_ms", join_json(m.claims)},
                      {"refused", m.refused},
                      {"server_bytes", m.server_memory.value()}});
      continue;
    }
    fmt::print("{:>6}{:>8.3g}{:>9.0f}{:>10.0f}{:>9.3f}{:>9.3f}{:>9.1f}{:>9.1f}{:>9}{:>8.0f}\n",
               nodes, a.joins * nodes, m.writes, m.told, m.server_cores, m.own_cores,
               to_ms(m.claims.percentile(.5)), to_ms(m.claims.percentile(.99)), m.refused,
               static_cast<double>(m.server_memory.value()) * 1e-6);
    std::fflush(stdout);
  }
  if (json) fmt::print("{}\n", rows.dump(2));
  return 0;
}

int directory(const DirectoryArguments& a, const CommonOptions& common) {
  if (!a.real) return simulate_all(a, common.json);
  const StopOnSignal signals([] {});
  try {
    return measure_all(a, common.json, signals.token());
  } catch (const std::runtime_error& e) {
    spdlog::error("{}", e.what());
    return kExitLabFailed;
  }
}

}  // namespace

Run add_directory(CLI::App& lab, const CommonOptions& common) {
  auto a = std::make_shared<DirectoryArguments>();
  CLI::App* c = lab.add_subcommand(
      "directory", "How many nodes the directory of a cluster of brokers carries, in virtual time");
  c->footer(
      "told/s: changes times the nodes that hear of each. busy: of the servers' time. silent: share\n"
      "of the time in which a node takes in nobody. dead: living nodes that one took for dead. lost:\n"
      "members put out. back s: once the servers were away and are back, until all nodes let in again.\n"
      "--real measures what --write-us and --tell-us are: docs/capacity.md.");
  c->add_option("--nodes", a->nodes, "One run for each number")
      ->delimiter(',')
      ->check(CLI::Range(2, 1024))
      ->capture_default_str();
  c->add_option("--members", a->members, "Of each node")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  c->add_option("--joins", a->joins, "At each node, a second; as many leave")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  c->add_option("--time", a->time, "Seconds of a run")
      ->check(CLI::Range(1.0, 600.0))
      ->capture_default_str();
  c->add_option("--write-us", a->write_us, "What a change takes of the servers' CPU, in µs")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  c->add_option("--tell-us", a->tell_us, "What a node that is told of it takes, in µs")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  c->add_option("--cores", a->cores, "Of all servers together")
      ->check(CLI::Range(0.1, 1000.0))
      ->capture_default_str();
  c->add_option("--way", a->way_ms, "From a node to the directory, one way, in ms, on average")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  c->add_option("--seed", a->seed, "Of what is drawn")->capture_default_str();
  c->add_flag("--real", a->real,
              "Against a server of NATS on this machine, each node with its connection");
  return [a, &common] { return directory(*a, common); };
}

}  // namespace qvid::lab
