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
constexpr Duration kBeforeRestarts = std::chrono::seconds(8);  // until all see all
constexpr Duration kBetweenRestarts = std::chrono::seconds(5);
constexpr Duration kCut = std::chrono::seconds(5);
constexpr Duration kAfterCut = std::chrono::seconds(6);

// Of items that are published at node a: how much later they come at b than at a.
ReportNumbers measure_hop(const ClusterBed& bed, const std::stop_token& stop) {
  boost::asio::io_context io(1);
  std::array<LoadOptions, 2> at;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const paceline::Url& url = bed.node(i).url();
    auto trust =
        paceline::Trust::make({.fingerprint = url.fingerprint, .ca_file = {}, .known_hosts = {}});
    if (!trust) throw std::runtime_error(trust.error().message);
    at[i] = {.remote = {.address = url.address, .trust = *std::move(trust)},
             .session = {},
             .token = {},
             .rate = DataRate::from_bps(500'000),
             .items = {.numerator = 30, .denominator = 1},
             .window = std::chrono::milliseconds(200)};
  }
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
  while (steady_now() < from + kHopTime && lost.empty()) {
    io.run_one_for(kClusterTurn);
    if (stop.stop_requested()) throw std::runtime_error("stopped");
  }
  if (!lost.empty()) throw std::runtime_error("a session was lost: " + lost);
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

// At node b, s.
double until_somebody_is_in(ClusterBed& bed) {
  const Timestamp from = steady_now();
  while (bed.newcomer(1, kNewcomerLimit)) bed.wait(kClusterTurn);
  return to_seconds(steady_now() - from);
}

// NATS dies, somebody new comes; it returns, and somebody new is in.
ReportNumbers without_nats(ClusterBed& bed) {
  for (std::size_t i = 0; i < ClusterBed::kNodes.size(); ++i) bed.kill_nats(i);
  bed.wait(kAfterFault);
  constexpr int kRefused = 4;  // qvid's exit code
  const double refused = bed.newcomer(1, kNewcomerLimit) == kRefused ? 1 : 0;
  for (std::size_t i = 0; i < ClusterBed::kNodes.size(); ++i) bed.start_nats(i);
  return {{"refused", refused}, {"recovery_s", until_somebody_is_in(bed)}};
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
  if (fault == ClusterFault::kNone) {
    ReportNumbers numbers;
    bed.site(0).run([&] { numbers = measure_hop(bed, stop); });
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
    numbers["recovery_s"] = until_somebody_is_in(bed);
    bed.wait(kAfterFault);
  } else if (fault == ClusterFault::kCut) {
    bed.cut(2, kCut);
    bed.wait(kCut + kAfterCut);
    numbers["cut_ms"] = to_ms(kCut);
    numbers["refused"] = bed.newcomer(2, kNewcomerLimit) ? 1 : 0;
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
