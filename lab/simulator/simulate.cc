#include "lab/simulator/simulate.h"

#include <fmt/format.h>
#include <fmt/os.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"
#include "lab/simulator/experiment.h"
#include "lab/simulator/sweep.h"

namespace qvid::lab::simulator {
namespace {

struct Options {
  std::string rate = "16M";
  double rtt_ms = 30;
  std::string queue;
  std::string flows = "pace:8";
  std::string demand = "5M";
  std::string schedule;
  double duration_s = 60;
  double warm_up_s = 15;
  double stagger_ms = to_ms(kStagger);
  double clock_error_ms = 0;
  double loss = 0;
  std::uint64_t seed = 1;
  bool json = false;
  std::string csv;
  int sweep = 0;
};

// "240k" bytes or "500ms" of queue.
Result<ByteCount> parse_queue(const std::string& text, DataRate rate) {
  if (text.empty()) return ByteCount();
  if (text.size() > 2 && text.ends_with("ms")) {
    const auto ms = parse_plain_rate(text.substr(0, text.size() - 2));
    if (!ms) return Error{in_quotes(text) + " is no time: write 500ms"};
    return rate.bytes_in(Duration(ms->bps() * 1'000'000));
  }
  const auto bytes = parse_plain_rate(text);
  if (!bytes) return Error{in_quotes(text) + " is no queue: write bytes or time, as 120k or 500ms"};
  return ByteCount(bytes->bps());
}

Result<Experiment> experiment_of(const Options& o) {
  const auto rate = parse_plain_rate(o.rate);
  if (!rate) return rate.error();
  if (*rate == DataRate()) return Error{"a rate of 0 carries nothing"};
  const auto queue = parse_queue(o.queue, *rate);
  if (!queue) return queue.error();
  const auto demand = parse_plain_rate(o.demand);
  if (!demand) return demand.error();
  auto flows = parse_flows(o.flows, *demand);
  if (!flows) return flows.error();
  auto schedule = parse_schedule(o.schedule);
  if (!schedule) return schedule.error();
  Experiment e{.rate = *rate,
               .rtt = from_seconds(o.rtt_ms / 1e3),
               .queue = *queue,
               .loss = o.loss,
               .schedule = std::move(*schedule),
               .flows = std::move(*flows),
               .duration = from_seconds(o.duration_s),
               .warm_up = from_seconds(o.warm_up_s),
               .stagger = from_seconds(o.stagger_ms / 1000),
               .clock_error = from_seconds(o.clock_error_ms / 1000),
               .seed = o.seed};
  if (e.warm_up >= e.duration) return Error{"the warm-up is as long as the run"};
  return e;
}

void print_json(const ExperimentResult& r) {
  nlohmann::json kinds = nlohmann::json::array();
  for (const auto& k : r.kinds) {
    kinds.push_back({{"kind", k.kind},
                     {"flows", k.flows},
                     {"share", k.share},
                     {"least_share", k.least_share},
                     {"most_share", k.most_share},
                     {"oldest_unacked_ms",
                      {{"median", k.median_ms}, {"p99.9", k.p999_ms}, {"worst", k.worst_ms}}},
                     {"jain_500ms", k.jain_500ms},
                     {"jain_5s", k.jain_5s},
                     {"starved", k.starved},
                     {"competing", k.competing}});
  }
  nlohmann::json flows = nlohmann::json::array();
  for (const auto& f : r.flows) {
    flows.push_back({{"kind", f.kind},
                     {"start_s", to_seconds(f.start.time_since_epoch())},
                     {"mbps", f.throughput.mbps()},
                     {"share", f.share},
                     {"starved", f.starved},
                     {"competing", f.competing},
                     {"timeouts", f.timeouts}});
  }
  const nlohmann::json out = {
      {"utilisation", r.utilisation}, {"dropped", r.dropped}, {"kinds", kinds}, {"flows", flows}};
  fmt::print("{}\n", out.dump(2));
}

void print_table(const ExperimentResult& r) {
  fmt::print("utilisation {:.3f}, {} packets dropped\n", r.utilisation, r.dropped);
  fmt::print("oldest unacked in ms; share of the fair rate\n");
  fmt::print("{:<11}{:>6}{:>8}{:>8}{:>8}  {:>6}{:>7}{:>7}  {:>10}{:>9}{:>9}{:>10}\n", "kind",
             "flows", "median", "99.9%", "worst", "share", "least", "most", "Jain 500ms", "Jain 5s",
             "starved", "competing");
  for (const auto& k : r.kinds) {
    fmt::print(
        "{:<11}{:>6}{:>8.0f}{:>8.0f}{:>8.0f}  {:>6.2f}{:>7.2f}{:>7.2f}  {:>10.3f}{:>9.3f}{:>9.3f}"
        "{:>10.2f}\n",
        k.kind, k.flows, k.median_ms, k.p999_ms, k.worst_ms, k.share, k.least_share, k.most_share,
        k.jain_500ms, k.jain_5s, k.starved, k.competing);
  }
}

// One row for each flow and slot of 100 ms after the warm-up.
void write_csv(const ExperimentResult& r, const std::string& path, double warm_up_s) {
  auto out = fmt::output_file(path);
  out.print("time_s,flow,kind,oldest_unacked_ms,mbps,window_bytes,base_rtt_ms,competing\n");
  const double slot_s = to_seconds(kSlot);
  for (std::size_t i = 0; i < r.flows.size(); ++i) {
    const FlowResult& f = r.flows[i];
    double at = std::max(to_seconds(f.start.time_since_epoch()), warm_up_s);
    for (const FlowSlot& s : f.slots) {
      at += slot_s;
      out.print("{:.1f},{},{},{:.1f},{:.3f},{},{:.1f},{}\n", at, i, f.kind, to_ms(s.oldest_unacked),
                static_cast<double>(s.acked) * 8e-6 / slot_s, s.signals.window.value(),
                to_ms(s.signals.base_rtt), s.signals.competing ? 1 : 0);
    }
  }
}

// One line for each setting, then how many hold.
void sweep(const Experiment& like, int settings) {
  int prompt = 0, fair = 0, both = 0, forceful = 0;
  fmt::print("{:>6}{:>7}{:>6}{:>7}{:>6}  {:>7}{:>7}{:>6}{:>7}{:>7}{:>10}\n", "seed", "Mbit/s",
             "rtt", "queue", "flows", "median", "99.9%", "used", "Jain", "least", "competing");
  for (int i = 0; i < settings; ++i) {
    const Experiment e = random_setting(like, like.seed * 1000 + static_cast<std::uint64_t>(i));
    const ExperimentResult r = run(e);
    const Verdict v = judge(e, r);
    const KindResult& k = r.kinds.front();
    prompt += v.prompt ? 1 : 0;
    fair += v.fair ? 1 : 0;
    both += v.prompt && v.fair ? 1 : 0;
    forceful += k.competing > 0.1 ? 1 : 0;
    fmt::print(
        "{:>6}{:>7.1f}{:>6.0f}{:>7.0f}{:>6}  "
        "{:>7.0f}{:>7.0f}{:>6.2f}{:>7.3f}{:>7.2f}{:>10.2f}{}{}{}\n",
        e.seed, e.rate.mbps(), to_ms(e.rtt), to_ms(e.rate.transfer_time(e.queue)), e.flows.size(),
        k.median_ms, k.p999_ms, r.utilisation, k.jain_500ms, k.least_share, k.competing,
        e.flows.front().demand > DataRate() ? "  video" : "", v.prompt ? "" : "  LATE",
        v.fair ? "" : "  UNFAIR");
  }
  fmt::print("of {}: prompt {}, fair {}, both {}; competing {}\n", settings, prompt, fair, both,
             forceful);
}

int simulate(const Options& options) {
  const auto experiment = experiment_of(options);
  if (!experiment) {
    fmt::print(stderr, "simulate: {}\n", experiment.error().message);
    return 2;
  }
  if (options.sweep > 0) {
    sweep(*experiment, options.sweep);
    return 0;
  }
  const ExperimentResult result = run(*experiment);
  if (!options.csv.empty()) write_csv(result, options.csv, options.warm_up_s);
  if (options.json) {
    print_json(result);
  } else {
    print_table(result);
  }
  return 0;
}

}  // namespace

std::function<int()> add_simulate(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  auto* command = app.add_subcommand(
      "simulate", "Run flows over a simulated bottleneck, in virtual time, and measure them");
  command->add_option("--rate", o->rate, "of the bottleneck, bits a second")->capture_default_str();
  command->add_option("--rtt", o->rtt_ms, "with an empty queue, ms")
      ->check(CLI::Range(0.01, 10'000.0))
      ->capture_default_str();
  command->add_option("--queue", o->queue,
                      "drop-tail, bytes (120k) or time (500ms) [two bandwidth-delay products]");
  command->add_option("--flows", o->flows, "KIND[:COUNT][@START[-STOP]][/DEMAND],...")
      ->capture_default_str();
  command->add_option("--demand", o->demand, "of each flow, bits a second; 0: always has more")
      ->capture_default_str();
  command->add_option("--schedule", o->schedule, "changes, as 20:rate=600k,40:rate=4M,50:rtt=80");
  command->add_option("--duration", o->duration_s, "s")
      ->check(CLI::Range(0.1, 86'400.0))
      ->capture_default_str();
  command->add_option("--warm-up", o->warm_up_s, "not measured, s")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  command->add_option("--stagger", o->stagger_ms, "each flow begins up to so much later, ms")
      ->check(CLI::Range(0.0, 60e3))
      ->capture_default_str();
  command->add_option("--clock-error", o->clock_error_ms, "standard deviation of hosts' clocks, ms")
      ->check(CLI::Range(0.0, 60e3))
      ->capture_default_str();
  command->add_option("--loss", o->loss, "of packets at random, 0..1")->check(CLI::Range(0.0, 1.0));
  command->add_option("--seed", o->seed, "the same seed gives the same run")->capture_default_str();
  command->add_flag("--json", o->json, "print JSON");
  command->add_option("--csv", o->csv, "write one row for each flow and slot of 100 ms to FILE");
  command->add_option("--sweep", o->sweep, "this many random lines instead of the one given")
      ->check(CLI::Range(0, 100'000));
  return [o] { return simulate(*o); };
}

}  // namespace qvid::lab::simulator
