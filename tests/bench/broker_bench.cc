// broker_bench QVID QVID_LAB ASIO_RELAY [VIEWERS [SECONDS [ROUNDS]]]: the broker beside a bare relay, real
// processes on loopback, in one run.
//
// The broker or relay has one core, its load another; on a busy machine start it with `chrt -r 5`,
// or what else runs is measured too. Each round measures the relay, the broker without TLS, the
// same with sessions on two threads, and with TLS, in turns; figures are medians. Added delay: the
// broker's less the relay's of the same round, which has the load generator's own in it too.
// Viewers a core: what would take all of one if CPU went on growing with the rate; the search then
// tries how many really do.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/e2e/process.h"

namespace {

using e2e::Process;
using nlohmann::json;
using std::chrono::milliseconds;

// The programs, and how they are run.
struct Setup {
  std::string qvid;
  std::string lab;
  std::string relay;
  int viewers = 200;
  int seconds = 8;
  int rounds = 3;
  // Of 20 viewers each; the last viewer of a large room waits until all others were served.
  int rooms(int of) const { return std::min((of + 19) / 20, 120); }
};

// kSpread: two threads for sessions and one for rooms, on the one core: what passing between
// threads costs.
enum class Kind { kRelay, kPlain, kSpread, kTls };

std::vector<std::string> on_core(int core, std::vector<std::string> command) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return command;
  command.insert(command.begin(), {"taskset", "-c", std::to_string(core)});
  return command;
}

std::string after(const std::string& line, const std::string& mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + mark.size();
  return line.substr(begin, line.find_first_of(" \n", begin) - begin);
}

// What the load says of one measurement; empty where something failed, which is told.
std::optional<json> measured(const Setup& s, Kind kind, int viewers) {
  const bool relay = kind == Kind::kRelay;
  std::vector<std::string> serve =
      relay ? std::vector<std::string>{s.relay, "relay"}
            : std::vector<std::string>{
                  s.qvid,          "broker", "--listen",  "127.0.0.1:0",
                  "--max-clients", "10000",  "--threads", kind == Kind::kSpread ? "2" : "1"};
  const bool secure = kind == Kind::kTls;
  if (!relay && !secure) serve.push_back("--insecure");
  Process server(on_core(0, serve));
  const std::string mark = relay ? "relay on port " : "join with: qvid call ";
  const auto line = server.wait_for_log(mark);
  if (!line) {
    fmt::print(stderr, "it did not start: {}\n", server.log());
    return std::nullopt;
  }
  std::vector<std::string> load = relay ? std::vector<std::string>{s.relay,
                                                                   "load",
                                                                   after(*line, mark),
                                                                   std::to_string(viewers),
                                                                   std::to_string(s.rooms(viewers)),
                                                                   std::to_string(s.seconds),
                                                                   std::to_string(server.pid())}
                                        : std::vector<std::string>{s.lab,
                                                                   "--json",
                                                                   "--quiet",
                                                                   "load",
                                                                   after(*line, mark),
                                                                   "--subscribers",
                                                                   std::to_string(viewers),
                                                                   "--rooms",
                                                                   std::to_string(s.rooms(viewers)),
                                                                   "--time",
                                                                   std::to_string(s.seconds),
                                                                   "--broker-pid",
                                                                   std::to_string(server.pid())};
  if (!relay && !secure) load.push_back("--insecure");
  Process generator(on_core(1, load));
  const int code = generator.wait(milliseconds(1000) * (s.seconds + 120));
  if (code != 0) {
    fmt::print(stderr, "the load ended with {}: {}\n", code, generator.log());
    return std::nullopt;
  }
  return json::parse(generator.out());
}

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::ranges::sort(v);
  return v[v.size() / 2];
}

double worst_lost(const json& r) {
  double most = 0;
  for (const json& layer : r.at("lost")) most = std::max(most, layer.get<double>());
  return most;
}

struct Row {
  std::vector<double> cpu, viewers, p50, p99, kilobytes, busy, lost;
  void add(const json& r) {
    const json& b = r.at("broker");
    cpu.push_back(b.at("cpu_seconds_per_gbit").get<double>());
    viewers.push_back(b.at("viewers_per_core").get<double>());
    p50.push_back(r.at("delay_ms").at("p50").get<double>());
    p99.push_back(r.at("delay_ms").at("p99").get<double>());
    kilobytes.push_back(b.at("resident_each").get<double>() / 1e3);
    busy.push_back(r.at("load_cpu").get<double>());
    lost.push_back(worst_lost(r));
  }
  void print(const char* name, const Row& relay) const {
    std::vector<double> ratio, added50, added99;
    for (std::size_t i = 0; i < std::min(cpu.size(), relay.cpu.size()); ++i) {
      ratio.push_back(cpu[i] / relay.cpu[i]);
      added50.push_back(p50[i] - relay.p50[i]);
      added99.push_back(p99[i] - relay.p99[i]);
    }
    fmt::print(
        "| {} | {:.2f} | {:.2f} | {:.0f} | {:.2f} / {:.2f} | {:+.2f} / {:+.2f} | {:.0f} | {:.3f} % "
        "| {:.0f} % |\n",
        name, median(cpu), median(ratio), median(viewers), median(p50), median(p99),
        median(added50), median(added99), median(kilobytes), 100 * median(lost),
        100 * median(busy));
  }
};

// Doubles, then halves the step: the most viewers that lose less than 1% with p99 under 50 ms.
void search(const Setup& s, Kind kind, const char* name) {
  int good = 0;
  bool load_busy = false;
  for (int step = s.viewers; step >= s.viewers / 2;) {
    const int viewers = good + step;
    const auto r = measured(s, kind, viewers);
    const bool ok = r && worst_lost(*r) < 0.01 && r->at("delay_ms").at("p99").get<double>() < 50 &&
                    r->at("joined").get<int>() == viewers + s.rooms(viewers);
    if (r) {
      load_busy = r->at("load_is_bottleneck").get<bool>();
      fmt::print(
          "  {} with {} viewers: {:.0f} % of its core, load {:.0f} %, p99 {:.1f} ms, lost "
          "{:.2f} %: {}\n",
          name, viewers, 100 * r->at("broker").at("cpu").get<double>(),
          100 * r->at("load_cpu").get<double>(), r->at("delay_ms").at("p99").get<double>(),
          100 * worst_lost(*r), ok ? "holds" : "too many");
    }
    if (ok) {
      good = viewers;
    } else {
      if (step == s.viewers / 2) break;
      step /= 2;
    }
    if (load_busy) break;
  }
  fmt::print("  {}: {} viewers hold{}\n", name, good,
             load_busy ? "; the load generator's core was full before the broker's" : "");
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): it ends it, as it should
int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr,
               "broker_bench QVID QVID_LAB ASIO_RELAY [VIEWERS [SECONDS [ROUNDS [search]]]]\n");
    return 2;
  }
  Setup s{.qvid = argv[1], .lab = argv[2], .relay = argv[3]};
  if (argc > 4) s.viewers = std::max(2, std::atoi(argv[4]));
  if (argc > 5) s.seconds = std::max(1, std::atoi(argv[5]));
  if (argc > 6) s.rounds = std::max(1, std::atoi(argv[6]));
  Row relay, plain, spread, tls;
  for (int round = 0; round < s.rounds; ++round) {
    for (const auto& [kind, row] : {std::pair(Kind::kRelay, &relay),
                                    {Kind::kPlain, &plain},
                                    {Kind::kSpread, &spread},
                                    {Kind::kTls, &tls}}) {
      const auto r = measured(s, kind, s.viewers);
      if (!r) return 1;
      row->add(*r);
    }
  }
  fmt::print(
      "{} viewers of 1 Mbit/s in rooms of 20, 30 items of 4 parts a second; medians of {} rounds "
      "of {} s\n",
      s.viewers, s.rounds, s.seconds);
  fmt::print(
      "| | CPU s/Gbit | to relay | viewers a core | delay p50 / p99 ms | added ms | kB a "
      "viewer | lost | load's core |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- "
      "|\n");
  relay.print("Asio relay", relay);
  plain.print("broker", relay);
  spread.print("broker, --threads 2 on that core", relay);
  tls.print("broker, TLS", relay);
  if (argc > 7) {
    search(s, Kind::kRelay, "Asio relay");
    search(s, Kind::kPlain, "broker");
    search(s, Kind::kTls, "broker, TLS");
  }
  return 0;
}
