#include "lab/load/cluster_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "lab/load/broker_metrics.h"
#include "lab/load/cluster_bed.h"
#include "lab/load/load_members.h"

namespace qvid::lab {
namespace {

constexpr Duration kClusterTurn = std::chrono::milliseconds(20);
constexpr Duration kBeforeFault = std::chrono::seconds(3);  // from the first pictures on
constexpr Duration kAfterFault = std::chrono::seconds(8);
constexpr Duration kHopWarmUp = std::chrono::seconds(2);
constexpr Duration kHopTime = std::chrono::seconds(5);
constexpr Duration kNewcomerLimit = std::chrono::seconds(20);
constexpr std::size_t kParties = 9;
constexpr std::size_t kViewers = 300;
constexpr std::size_t kViewerRooms = 3;  // a room has 256 members at the most
constexpr Duration kBetweenViewers = std::chrono::milliseconds(15);
constexpr Duration kBeforeRestarts = std::chrono::seconds(8);  // until all see all
constexpr Duration kBetweenRestarts = std::chrono::seconds(5);
constexpr Duration kCut = std::chrono::seconds(5);
constexpr Duration kAfterCut = std::chrono::seconds(6);

LoadOptions options_at(const ClusterBed& bed, std::size_t node, DataRate rate) {
  const paceline::Url& url = bed.node(node).url();
  auto trust =
      paceline::Trust::make({.fingerprint = url.fingerprint, .ca_file = {}, .known_hosts = {}});
  if (!trust) throw std::runtime_error(trust.error().message);
  return {.remote = {.address = url.address, .trust = *std::move(trust)},
          .session = {},
          .token = {},
          .rate = rate,
          .items = {.numerator = 30, .denominator = 1},
          .window = std::chrono::milliseconds(200)};
}

void run_for(boost::asio::io_context& io, Duration time, const std::string& lost,
             const std::stop_token& stop) {
  for (const Timestamp end = steady_now() + time; steady_now() < end && lost.empty();) {
    io.run_one_for(kClusterTurn);
    if (stop.stop_requested()) throw std::runtime_error("stopped");
  }
  if (!lost.empty()) throw std::runtime_error("a session was lost: " + lost);
}

// Of items that are published at node a: how much later they come at b than at a.
ReportNumbers measure_hop(const ClusterBed& bed, const std::stop_token& stop) {
  boost::asio::io_context io(1);
  const DataRate rate = DataRate::from_bps(500'000);
  const std::array<LoadOptions, 2> at{options_at(bed, 0, rate), options_at(bed, 1, rate)};
  std::string lost;
  const auto events = [&lost] {
    return LoadEvents{.joined = [] {},
                      .ended = [&lost](const std::string& reason, bool) { lost = reason; }};
  };
  const Timestamp from = steady_now() + kHopWarmUp;
  std::array<std::vector<Duration>, 2> delays;
  const LoadPublisher source(io, at[0], "hop", "source", {}, events(), [](Timestamp) {});
  std::vector<std::unique_ptr<LoadSubscriber>> sinks;
  for (std::size_t i = 0; i < at.size(); ++i) {
    sinks.push_back(std::make_unique<LoadSubscriber>(
        io, at[i], "hop", std::string("sink-") + ClusterBed::kNodes[i],
        std::vector<std::string>{"source"}, events(),
        [&, i](std::size_t layer, Timestamp sent, ByteCount) {
          const Timestamp now = steady_now();
          if (layer == 0 && sent >= from) delays[i].push_back(now - sent);
        }));
  }
  run_for(io, kHopWarmUp + kHopTime, lost, stop);
  // What comes at b comes back to site a, where this is.
  ReportNumbers numbers{{"path_ms", to_ms(2 * ClusterBed::kBetweenSites)}};
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::ranges::sort(delays[i]);
    if (delays[i].empty())
      throw std::runtime_error(std::string("no items came at ") + ClusterBed::kNodes[i]);
    const std::string key = std::string("delay_ms.") + ClusterBed::kNodes[i];
    numbers[key + ".p50"] = to_ms(delays[i][delays[i].size() / 2]);
    numbers[key + ".p99"] = to_ms(delays[i][delays[i].size() * 99 / 100]);
  }
  return numbers;
}

// In three rooms, each with a publisher at node a, 300 watch it, a third of them at each node.
ReportNumbers measure_links(const ClusterBed& bed, const std::stop_token& stop) {
  boost::asio::io_context io(1);
  std::vector<LoadOptions> at;
  for (std::size_t i = 0; i < ClusterBed::kNodes.size(); ++i) {
    at.push_back(options_at(bed, i, DataRate::from_bps(100'000)));
  }
  std::string lost;
  std::size_t joined = 0;
  std::int64_t parts = 0;
  const auto events = [&] {
    return LoadEvents{.joined = [&joined] { ++joined; },
                      .ended = [&lost](const std::string& reason, bool) { lost = reason; }};
  };
  const auto room_of = [](std::size_t i) { return fmt::format("room-{}", i % kViewerRooms); };
  std::vector<std::unique_ptr<LoadSubscriber>> viewers;
  for (std::size_t i = 0; i < kViewers; ++i) {
    viewers.push_back(std::make_unique<LoadSubscriber>(
        io, at[i / kViewerRooms % at.size()], room_of(i), fmt::format("viewer-{}", i),
        std::vector<std::string>{"source"}, events(),
        [&parts](std::size_t, Timestamp, ByteCount) { ++parts; }));
    run_for(io, kBetweenViewers, lost, stop);
  }
  run_for(io, kHopWarmUp, lost, stop);
  if (joined < kViewers) throw std::runtime_error("not all viewers were let in");
  const auto read = [&] {
    const std::array said{bed.metrics(0), bed.metrics(1), bed.metrics(2)};
    const auto came = [&said](std::size_t at_node, const char* from) {
      return metric(said[at_node],
                    fmt::format("qvid_cluster_link_fragments_total{{node=\"{}\"}}", from));
    };
    return ReportNumbers{
        {"published", metric(said[0], "qvid_broker_received_fragments_total")},
        {"delivered", static_cast<double>(parts)},
        {"link.b.a", came(1, "a")},
        {"link.c.a", came(2, "a")},
        {"link.others", came(0, "b") + came(0, "c") + came(1, "c") + came(2, "b")}};
  };
  // Not of the first items, which are there before a link's wish for them has crossed it.
  ReportNumbers before;
  {
    std::vector<std::unique_ptr<LoadPublisher>> sources;
    for (std::size_t i = 0; i < kViewerRooms; ++i) {
      sources.push_back(std::make_unique<LoadPublisher>(io, at[0], room_of(i), "source", Duration{},
                                                        events(), [](Timestamp) {}));
    }
    run_for(io, kHopWarmUp, lost, stop);
    before = read();
    run_for(io, kHopTime, lost, stop);
  }
  run_for(io, kHopWarmUp, lost, stop);
  ReportNumbers after = read();
  for (auto& [name, number] : after) number -= before[name];
  return after;
}

// At that node, s.
double until_somebody_is_in(ClusterBed& bed, std::size_t node) {
  const Timestamp from = steady_now();
  while (bed.newcomer(node, kNewcomerLimit)) bed.wait(kClusterTurn);
  return to_seconds(steady_now() - from);
}

// NATS dies, somebody new comes; it returns, and somebody new is in.
ReportNumbers without_nats(ClusterBed& bed) {
  for (std::size_t i = 0; i < ClusterBed::kNodes.size(); ++i) bed.kill_nats(i);
  bed.wait(kAfterFault);
  constexpr int kRefused = 4;  // qvid's exit code
  const double refused = bed.newcomer(1, kNewcomerLimit) == kRefused ? 1 : 0;
  for (std::size_t i = 0; i < ClusterBed::kNodes.size(); ++i) bed.start_nats(i);
  return {{"refused", refused}, {"recovery_s", until_somebody_is_in(bed, 1)}};
}

// Of each party, the longest gap of any other's pictures.
ReportNumbers restart_all(const std::stop_token& stop) {
  ClusterBed bed(stop);
  const auto name_of = [](std::size_t i) { return fmt::format("party-{}", i); };
  for (std::size_t i = 0; i < kParties; ++i) bed.call(name_of(i), i % ClusterBed::kNodes.size());
  bed.await_pictures();
  bed.wait(kBeforeRestarts);
  const Timestamp from = steady_now();
  for (std::size_t i = 0; i < ClusterBed::kNodes.size(); ++i) {
    bed.restart(i);
    bed.wait(kBetweenRestarts);
  }
  const Timestamp to = steady_now();
  bed.end();
  std::vector<double> worst;
  for (std::size_t i = 0; i < kParties; ++i) {
    worst.push_back(0);
    for (std::size_t other = 0; other < kParties; ++other) {
      if (other == i) continue;
      worst.back() = std::max(worst.back(), bed.gap_ms(name_of(i), from, to, name_of(other)));
    }
  }
  std::ranges::sort(worst);
  return {{"gap_ms.party.median", worst[kParties / 2]}, {"gap_ms.party.worst", worst.back()}};
}

ReportNumbers measure_cluster(ClusterFault fault, const std::stop_token& stop) {
  if (fault == ClusterFault::kRolling) return restart_all(stop);
  ClusterBed bed(stop);
  if (fault == ClusterFault::kNone || fault == ClusterFault::kViewers) {
    ReportNumbers numbers;
    bed.site(0).run([&] {
      numbers = fault == ClusterFault::kNone ? measure_hop(bed, stop) : measure_links(bed, stop);
    });
    return numbers;
  }
  bed.publish("Ann", 0);
  bed.publish("Bob", 1);
  bed.watch("at-a", 0, "Bob");
  bed.watch("at-b", 1, "Ann");
  bed.watch("at-c", 2, "Bob");
  bed.await_pictures();
  bed.wait(kBeforeFault);
  const Timestamp from = steady_now();
  ReportNumbers numbers;
  if (fault == ClusterFault::kWithoutNats) {
    numbers = without_nats(bed);
  } else if (fault == ClusterFault::kNatsInPart) {
    bed.kill_nats(0);
    numbers["recovery_s"] = until_somebody_is_in(bed, 1);
    bed.wait(kAfterFault);
  } else if (fault == ClusterFault::kCut) {
    bed.cut(2, kCut);
    bed.wait(kCut);
    numbers["cut_ms"] = to_ms(kCut);
    numbers["recovery_s"] = until_somebody_is_in(bed, 2);
    bed.wait(kAfterCut);
  } else {
    if (fault == ClusterFault::kKilled) {
      bed.kill(0);
    } else {
      bed.node(0).signal(SIGTERM);
    }
    bed.wait(kAfterFault);
  }
  const Timestamp to = steady_now();
  bed.end();
  for (const char* name : {"at-a", "at-b", "at-c"}) {
    numbers[std::string("gap_ms.") + name] = bed.gap_ms(name, from, to);
  }
  return numbers;
}

}  // namespace

RunResult try_cluster(const RunSpec& spec, const std::stop_token& stop) {
  RunResult result;
  result.spec = spec;
  if (NatsProgram::program().empty()) {
    result.error = "nats-server is not installed";
    return result;
  }
  const Timestamp began = steady_now();
  try {
    result.cluster = measure_cluster(spec.cluster->fault, stop);
  } catch (const std::exception& e) {
    result.error = e.what();
  }
  result.measured = steady_now() - began;
  return result;
}

}  // namespace qvid::lab
