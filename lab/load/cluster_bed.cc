#include "lab/load/cluster_bed.h"

#include <algorithm>
#include <csignal>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "lab/bed/output_table.h"
#include "lab/emulator/link_spec.h"
#include "lab/load/broker_metrics.h"

namespace qvid::lab {
namespace {

constexpr Duration kBedTurn = std::chrono::milliseconds(20);
constexpr Duration kMostDrain = std::chrono::seconds(15);
constexpr int kRoutePort = 6222;  // between servers of NATS
constexpr const char* kClusterRoom = "lab";
constexpr const char* kOutputEnd = ".out.csv";
constexpr const char* kDirectoryAnswers = "the directory answers";

// The first line of that, and those with one's pictures.
std::string lines_of(const std::string& shown, const std::string& who) {
  std::istringstream in(shown);
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    if (kept.empty() || line.find(",picture," + who + ",") != std::string::npos) {
      kept += line + '\n';
    }
  }
  return kept;
}

double since_epoch(Timestamp at) { return to_seconds(at.time_since_epoch()); }

}  // namespace

ClusterBed::ClusterBed(const std::stop_token& stop)
    : stop_(stop), sites_(*parse_link(kLink), kNodes.size()) {
  const auto place = [this](std::size_t i) {
    return ProgramPlace{.where = &sites_.site(i), .host = sites_.address(i)};
  };
  const auto route = [this](std::size_t i) {
    return "nats://" + sites_.address(i) + ":" + std::to_string(kRoutePort);
  };
  std::string urls;
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    nats_.push_back(std::make_unique<NatsProgram>(
        stop, place(i),
        std::vector<std::string>{"-n", kNodes[i], "--cluster_name", "qvid-lab", "--cluster",
                                 route(i), "--routes",
                                 route(0) + "," + route(1) + "," + route(2)}));
    urls += (i == 0 ? "" : ",") + nats_[i]->url();
  }
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    nodes_.push_back(std::make_unique<BrokerProgram>(
        std::vector<std::string>{"--open", "--cluster", urls, "--name", kNodes[i], "--drain", "4",
                                 "--metrics", kMetricsAt, "--max-per-address", "1000"},
        stop, place(i)));
    nodes_.back()->await_in_log(kDirectoryAnswers, stop);
  }
}

std::string ClusterBed::metrics(std::size_t node) const {
  std::string page;
  site(node).run([&page] { page = read_metrics(); });
  return page;
}

void ClusterBed::wait(Duration time) const {
  for (const Timestamp end = steady_now() + time; steady_now() < end;) {
    if (stop_.stop_requested()) throw std::runtime_error("stopped");
    std::this_thread::sleep_for(kBedTurn);
  }
}

void ClusterBed::restart(std::size_t number) {
  nodes_[number]->drain(kMostDrain, stop_);
  nodes_[number]->start(stop_);
  nodes_[number]->await_in_log(kDirectoryAnswers, stop_);
}

std::string ClusterBed::url(std::size_t node) const {
  paceline::Url url = nodes_[node]->url();
  url.name = kClusterRoom;
  return url.text();
}

std::string ClusterBed::log_of(const std::string& name) const {
  return folder_.file(name + kOutputEnd).string();
}

void ClusterBed::launch(const std::string& name, std::size_t node,
                        std::vector<std::string> command) {
  programs_.push_back(
      {.name = name, .process = folder_.launch(name, std::move(command), sites_.site(node))});
}

void ClusterBed::publish(const std::string& name, std::size_t node) {
  launch(name, node,
         {product_program(), "publish", "test", url(node), "--name", name, "--size", "320x180",
          "--rate", "30", "--bitrate", "300000"});
}

void ClusterBed::watch(const std::string& name, std::size_t node, const std::string& who) {
  launch(name, node,
         {product_program(), "watch", url(node), who, "--name", name, "--headless", "--output-log",
          log_of(name)});
  watching_.push_back(name);
}

void ClusterBed::call(const std::string& name, std::size_t node) {
  launch(name, node,
         {product_program(),   "call",   url(node),      "--name",    name,        "--headless",
          "--source",          "test",   "--size",       "160x120",   "--rate",    "30",
          "--bitrate",         "100000", "--microphone", "none",      "--speaker", "none",
          "--decoder-process", "off",    "--output-log", log_of(name)});
  watching_.push_back(name);
}

void ClusterBed::await_pictures() {
  for (Program& program : programs_) {
    if (std::ranges::find(watching_, program.name) == watching_.end()) continue;
    folder_.await_text(program.name, program.process, "first picture of seat", stop_);
  }
}

std::optional<int> ClusterBed::newcomer(std::size_t node, Duration at_most) {
  const std::string name = "new-" + std::to_string(++newcomers_);
  ChildProcess process = folder_.launch(
      name, {product_program(), "watch", url(node), "--name", name, "--headless"}, site(node));
  for (const Timestamp end = steady_now() + at_most; steady_now() < end;) {
    if (const auto code = process.poll()) return code;
    if (folder_.text_of(name + ".log").find("joined the room") != std::string::npos) return {};
    wait(kBedTurn);
  }
  throw std::runtime_error("a newcomer was neither let in nor refused");
}

void ClusterBed::end() {
  for (const Program& program : programs_) program.process.signal(SIGINT);
  for (Program& program : programs_) ProgramFolder::ends(program.process);
}

double ClusterBed::gap_ms(const std::string& of, Timestamp from, Timestamp to,
                          const std::string& whose) const {
  std::string shown = folder_.text_of(of + kOutputEnd);
  if (!whose.empty()) shown = lines_of(shown, whose);
  const auto table = parse_output(shown);
  if (!table) throw std::runtime_error("what was shown: " + table.error().message);
  const double begin = since_epoch(from);
  const double end = since_epoch(to);
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

}  // namespace qvid::lab
