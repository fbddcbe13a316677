#include "lab/load/cluster_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "lab/bed/output_table.h"
#include "lab/bed/program_folder.h"
#include "lab/load/broker_program.h"
#include "lab/load/load_members.h"
#include "lab/load/nats_program.h"

namespace qvid::lab {
namespace {

constexpr Duration kClusterTurn = std::chrono::milliseconds(20);
constexpr Duration kBeforeFault = std::chrono::seconds(3);  // from the first pictures on
constexpr Duration kAfterFault = std::chrono::seconds(8);
constexpr Duration kHopWarmUp = std::chrono::seconds(2);
constexpr Duration kHopTime = std::chrono::seconds(5);
constexpr Duration kNewcomerLimit = std::chrono::seconds(20);
constexpr std::array<const char*, 3> kNodes{"a", "b", "c"};
constexpr std::size_t kParties = 9;
constexpr Duration kBeforeRestarts = std::chrono::seconds(8);  // until all see all
constexpr Duration kBetweenRestarts = std::chrono::seconds(5);
constexpr Duration kMostDrain = std::chrono::seconds(15);
constexpr const char* kClusterRoom = "lab";

void wait(Duration time, const std::stop_token& stop) {
  for (const Timestamp end = steady_now() + time; steady_now() < end;) {
    if (stop.stop_requested()) throw std::runtime_error("stopped");
    std::this_thread::sleep_for(kClusterTurn);
  }
}

class ClusterBed {
 public:
  explicit ClusterBed(const std::stop_token& stop) : stop_(stop), nats_(stop) {
    for (const char* name : kNodes) {
      nodes_.push_back(std::make_unique<BrokerProgram>(
          std::vector<std::string>{"--cluster", nats_.url(), "--name", name, "--drain", "4"},
          stop));
      nodes_.back()->await_in_log("the directory answers", stop);
    }
  }

  NatsProgram& nats() { return nats_; }
  const BrokerProgram& node(std::size_t number) const { return *nodes_[number]; }
  void kill(std::size_t number) { nodes_[number]->kill(); }
  void restart(std::size_t number) {
    nodes_[number]->drain(kMostDrain, stop_);
    nodes_[number]->start(stop_);
    nodes_[number]->await_in_log("the directory answers", stop_);
  }
  std::string url(std::size_t node) const {
    paceline::Url url = nodes_[node]->url();
    url.name = kClusterRoom;
    return url.text();
  }
  void publish(const std::string& name, std::size_t node) {
    programs_.push_back(
        folder_.launch(name, {product_program(), "publish", "test", url(node), "--name", name,
                              "--size", "320x180", "--rate", "30", "--bitrate", "300000"}));
  }
  void watch(const std::string& name, std::size_t node, const std::string& who) {
    programs_.push_back(folder_.launch(name, {product_program(), "watch", url(node), who, "--name",
                                              name, "--headless", "--output-log", log_of(name)}));
    watching_.push_back(name);
  }
  // What others send is decoded in the party's own process: as nine machines would start theirs at once,
  // these two cores cannot.
  void call(const std::string& name, std::size_t node) {
    programs_.push_back(folder_.launch(
        name,
        {product_program(),   "call",   url(node),      "--name",    name,        "--headless",
         "--source",          "test",   "--size",       "160x120",   "--rate",    "30",
         "--bitrate",         "100000", "--microphone", "none",      "--speaker", "none",
         "--decoder-process", "off",    "--output-log", log_of(name)}));
    watching_.push_back(name);
  }
  void await_pictures() {
    for (std::size_t i = 0; i < watching_.size(); ++i) {
      ChildProcess& process = programs_[programs_.size() - watching_.size() + i];
      folder_.await_text(watching_[i], process, "first picture of seat", stop_);
    }
  }
  // A new one, who comes in or is told why not: its exit code, or empty where it is in by then.
  std::optional<int> newcomer(std::size_t node, Duration at_most) {
    const std::string name = "new-" + std::to_string(++newcomers_);
    ChildProcess process =
        folder_.launch(name, {product_program(), "watch", url(node), "--name", name, "--headless"});
    for (const Timestamp end = steady_now() + at_most; steady_now() < end;) {
      if (const auto code = process.poll()) return code;
      if (folder_.text_of(name + ".log").find("joined the room") != std::string::npos) return {};
      wait(kClusterTurn, stop_);
    }
    throw std::runtime_error("a newcomer was neither let in nor refused");
  }
  // All end, and have written what they showed.
  void end() {
    for (ChildProcess& program : programs_) program.signal(SIGINT);
    for (ChildProcess& program : programs_) ProgramFolder::ends(program);
  }
  // What it showed, as CSV.
  std::string shown_by(const std::string& name) const { return folder_.text_of(name + kOutputEnd); }
  // The first line of that, and those with one's pictures.
  static std::string lines_of(const std::string& shown, const std::string& who) {
    std::istringstream in(shown);
    std::string kept;
    for (std::string line; std::getline(in, line);) {
      if (kept.empty() || line.find(",picture," + who + ",") != std::string::npos) {
        kept += line + '\n';
      }
    }
    return kept;
  }
  // Of pictures from then on, ms; where the last one is long before the end, until that.
  static double gap_ms(const std::string& shown, Timestamp from, Timestamp to) {
    const auto table = parse_output(shown);
    if (!table) throw std::runtime_error("what was shown: " + table.error().message);
    const double begin = seconds(from);
    const double end = seconds(to);
    double before = begin;
    double gap = 0;
    for (const OutputValue& picture : table->pictures) {
      if (picture.at <= begin) continue;
      gap = std::max(gap, std::min(picture.at, end) - before);
      before = picture.at;
      if (before >= end) break;
    }
    return 1e3 * std::max(gap, end - before);
  }

 private:
  static constexpr const char* kOutputEnd = ".out.csv";
  std::string log_of(const std::string& name) const {
    return folder_.file(name + kOutputEnd).string();
  }
  static double seconds(Timestamp at) { return to_seconds(at.time_since_epoch()); }

  const std::stop_token& stop_;
  ProgramFolder folder_;  // after its programs
  NatsProgram nats_;
  std::vector<std::unique_ptr<BrokerProgram>> nodes_;
  std::vector<std::string> watching_;
  std::vector<ChildProcess> programs_;
  int newcomers_ = 0;
};

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
        io, at[i], "hop", std::string("sink-") + kNodes[i], std::vector<std::string>{"source"},
        events(), [&, i](std::size_t layer, Timestamp sent, ByteCount) {
          const Timestamp now = steady_now();
          if (layer == 0 && sent >= from) delays[i].push_back(now - sent);
        }));
  }
  while (steady_now() < from + kHopTime && lost.empty()) {
    io.run_one_for(kClusterTurn);
    if (stop.stop_requested()) throw std::runtime_error("stopped");
  }
  if (!lost.empty()) throw std::runtime_error("a session was lost: " + lost);
  ReportNumbers numbers;
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::ranges::sort(delays[i]);
    if (delays[i].empty()) throw std::runtime_error(std::string("no items came at ") + kNodes[i]);
    const std::string key = std::string("delay_ms.") + kNodes[i];
    numbers[key + ".p50"] = to_ms(delays[i][delays[i].size() / 2]);
    numbers[key + ".p99"] = to_ms(delays[i][delays[i].size() * 99 / 100]);
  }
  return numbers;
}

// NATS dies, somebody new comes; it returns, and somebody new is in.
ReportNumbers without_nats(ClusterBed& bed, const std::stop_token& stop) {
  bed.nats().kill();
  wait(kAfterFault, stop);
  constexpr int kRefused = 4;  // qvid's exit code
  const double refused = bed.newcomer(1, kNewcomerLimit) == kRefused ? 1 : 0;
  bed.nats().start(stop);
  const Timestamp returned = steady_now();
  while (bed.newcomer(1, kNewcomerLimit)) wait(kClusterTurn, stop);
  return {{"refused", refused}, {"recovery_s", to_seconds(steady_now() - returned)}};
}

// Of each party, the longest gap of any other's pictures.
ReportNumbers restart_all(const std::stop_token& stop) {
  ClusterBed bed(stop);
  const auto name_of = [](std::size_t i) { return fmt::format("party-{}", i); };
  for (std::size_t i = 0; i < kParties; ++i) bed.call(name_of(i), i % kNodes.size());
  bed.await_pictures();
  wait(kBeforeRestarts, stop);
  const Timestamp from = steady_now();
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    bed.restart(i);
    wait(kBetweenRestarts, stop);
  }
  const Timestamp to = steady_now();
  bed.end();
  std::vector<double> worst;
  for (std::size_t i = 0; i < kParties; ++i) {
    const std::string shown = bed.shown_by(name_of(i));
    worst.push_back(0);
    for (std::size_t other = 0; other < kParties; ++other) {
      if (other == i) continue;
      worst.back() =
          std::max(worst.back(), bed.gap_ms(bed.lines_of(shown, name_of(other)), from, to));
    }
  }
  std::ranges::sort(worst);
  return {{"gap_ms.party.median", worst[kParties / 2]}, {"gap_ms.party.worst", worst.back()}};
}

ReportNumbers measure_cluster(ClusterFault fault, const std::stop_token& stop) {
  if (fault == ClusterFault::kRolling) return restart_all(stop);
  ClusterBed bed(stop);
  if (fault == ClusterFault::kNone) return measure_hop(bed, stop);
  bed.publish("Ann", 0);
  bed.publish("Bob", 1);
  bed.watch("at-a", 0, "Bob");
  bed.watch("at-b", 1, "Ann");
  bed.watch("at-c", 2, "Bob");
  bed.await_pictures();
  wait(kBeforeFault, stop);
  const Timestamp from = steady_now();
  ReportNumbers numbers;
  if (fault == ClusterFault::kWithoutNats) {
    numbers = without_nats(bed, stop);
  } else {
    if (fault == ClusterFault::kKilled) {
      bed.kill(0);
    } else {
      bed.node(0).signal(SIGTERM);
    }
    wait(kAfterFault, stop);
  }
  const Timestamp to = steady_now();
  bed.end();
  for (const char* name : {"at-a", "at-b", "at-c"}) {
    numbers[std::string("gap_ms.") + name] = bed.gap_ms(bed.shown_by(name), from, to);
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
