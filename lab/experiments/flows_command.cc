#include "lab/experiments/flows_command.h"

#include <fmt/format.h>
#include <fmt/os.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>

#include "lab/bed/bed.h"
#include "lab/bed/flow_text.h"
#include "lab/emulator/link_report.h"
#include "lab/emulator/link_spec.h"
#include "lab/emulator/stop_on_signal.h"
#include "lab/emulator/values.h"
#include "lab/experiments/statistics.h"

namespace qvid::lab {
namespace {

struct FlowsOptions {
  std::string link = "rate=16mbit delay=15ms queue=60ms";
  std::string flows = "pace+fo:4,cubic/greedy";
  std::string duration = "30s";
  std::string warm_up = "5s";
  std::uint64_t seed = 1;
  bool ecn = false;
  bool each = false;
  std::string csv;
};

struct Row {
  std::string name;
  std::size_t flows = 0;
  double mbps = 0, least_mbps = 0, most_mbps = 0;  // of a flow
  std::vector<double> oldest_unacked_ms;
  double competing = 0;  // part of the slots
  double frames_a_second = 0, least_frames_a_second = 0, layers = 0;
  bool video = false;
  std::uint64_t failovers = 0;
};

// Of the flows that pass.
Row row_of(const RunResult& run, std::string name, const FlowFilter& filter) {
  Row row{.name = std::move(name), .oldest_unacked_ms = oldest_unacked_ms(run, filter)};
  const auto first = static_cast<std::size_t>(run.spec.warm_up / kSlot);
  double slots = 0;
  double competing = 0;
  double frames = 0;
  double shown = 0;
  double layers = 0;
  row.least_frames_a_second = 30;
  for (const FlowResult& flow : run.flows) {
    if (!filter(flow)) continue;
    const double mbps = throughput_bps(run, [&](const FlowResult& f) { return &f == &flow; }) / 1e6;
    row.least_mbps = row.flows == 0 ? mbps : std::min(row.least_mbps, mbps);
    row.most_mbps = std::max(row.most_mbps, mbps);
    row.mbps += mbps;
    ++row.flows;
    for (std::size_t i = first; i < flow.slots.size(); ++i) {
      ++slots;
      competing += flow.slots[i].competing;
    }
    row.failovers += flow.failovers;
    if (flow.video.frames > 0) {
      row.video = true;
      const auto of = static_cast<double>(flow.video.frames);
      const auto these = static_cast<double>(flow.video.shown);
      frames += of;
      shown += these;
      layers += static_cast<double>(flow.video.layers);
      row.least_frames_a_second = std::min(row.least_frames_a_second, 30 * these / of);
    }
  }
  if (row.flows > 0) row.mbps /= static_cast<double>(row.flows);
  row.competing = slots > 0 ? competing / slots : 0;
  row.frames_a_second = frames > 0 ? 30 * shown / frames : 0;
  row.layers = shown > 0 ? layers / shown : 0;
  return row;
}

std::vector<Row> rows_of(const RunResult& run, bool each) {
  std::vector<Row> rows;
  if (each) {
    for (std::size_t i = 0; i < run.flows.size(); ++i) {
      const FlowResult* flow = &run.flows[i];
      rows.push_back(row_of(run, fmt::format("{} {}", i + 1, flow->group),
                            [flow](const FlowResult& f) { return &f == flow; }));
    }
    return rows;
  }
  std::size_t first = 0;
  for (const FlowSpec& spec : run.spec.flows) {
    const FlowResult* begin = &run.flows[first];
    first += spec.count;
    rows.push_back(row_of(run, spec.group, [begin, count = spec.count](const FlowResult& f) {
      return &f >= begin && &f < begin + count;
    }));
  }
  return rows;
}

void print(const RunResult& run, const std::vector<Row>& rows) {
  fmt::print("{:<28} {:>5} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6} {:>6} {:>6} {:>5}\n",
             "flows", "", "Mbit/s", "least", "most", "median", "99.9%", "worst", "comp.", "fps",
             "least", "layers", "f.o.");
  for (const Row& row : rows) {
    fmt::print("{:<28} {:>5} {:>8.2f} {:>8.2f} {:>8.2f}", row.name, row.flows, row.mbps,
               row.least_mbps, row.most_mbps);
    if (row.oldest_unacked_ms.empty()) {
      fmt::print(" {:>8} {:>8} {:>8}", "", "", "");
    } else {
      fmt::print(" {:>8.0f} {:>8.0f} {:>8.0f}", percentile(row.oldest_unacked_ms, .5),
                 percentile(row.oldest_unacked_ms, .999), percentile(row.oldest_unacked_ms, 1));
    }
    fmt::print(" {:>6.2f}", row.competing);
    if (row.video) {
      fmt::print(" {:>6.1f} {:>6.1f} {:>6.1f}", row.frames_a_second, row.least_frames_a_second,
                 row.layers);
    } else {
      fmt::print(" {:>6} {:>6} {:>6}", "", "", "");
    }
    fmt::print(" {:>5}\n", row.failovers);
  }
  fmt::print(
      "\nutilisation {:.3f}, Jain of 500 ms {:.3f}; ms: oldest unacked; comp.: part of the time "
      "that pace competes; f.o.: failovers\n{}",
      utilisation(run), jain(run, of_group(""), 500ms), text_of(run.link));
}

nlohmann::json json_of(const RunResult& run, const std::vector<Row>& rows) {
  nlohmann::json flows = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json& entry = flows.emplace_back(nlohmann::json{{"flows", row.name},
                                                              {"count", row.flows},
                                                              {"mbps", row.mbps},
                                                              {"least_mbps", row.least_mbps},
                                                              {"most_mbps", row.most_mbps},
                                                              {"competing", row.competing},
                                                              {"failovers", row.failovers}});
    if (!row.oldest_unacked_ms.empty()) {
      entry["oldest_unacked_ms"] = {{"median", percentile(row.oldest_unacked_ms, .5)},
                                    {"p999", percentile(row.oldest_unacked_ms, .999)},
                                    {"worst", percentile(row.oldest_unacked_ms, 1)}};
    }
    if (row.video) {
      entry["frames_a_second"] = row.frames_a_second;
      entry["least_frames_a_second"] = row.least_frames_a_second;
      entry["layers"] = row.layers;
    }
  }
  return {{"flows", flows},
          {"utilisation", utilisation(run)},
          {"jain_500ms", jain(run, of_group(""), 500ms)},
          {"link", json_of(run.link)}};
}

// One row for each flow and slot of the whole run; the columns are those of `simulate --csv`.
void write_csv(fmt::ostream& out, const RunResult& run) {
  out.print("time_s,flow,kind,oldest_unacked_ms,mbps,window_bytes,base_rtt_ms,competing\n");
  for (std::size_t i = 0; i < run.flows.size(); ++i) {
    const FlowResult& f = run.flows[i];
    double at = 0;
    for (const FlowSlot& s : f.slots) {
      at += to_seconds(kSlot);
      out.print("{:.1f},{},{},{:.1f},{:.3f},{:.0f},{:.1f},{}\n", at, i, f.group,
                s.oldest_unacked_ms, static_cast<double>(s.delivered) * 8e-6 / to_seconds(kSlot),
                s.window, s.base_rtt_ms, s.competing ? 1 : 0);
    }
  }
}

int flows(const FlowsOptions& o, const CommonOptions& common) {
  const auto refuse = [](const std::string& why) {
    spdlog::error("{}", why);
    return kExitUsage;
  };
  RunSpec spec{.name = "flows", .link = o.link};
  if (const auto link = parse_link(o.link); !link) return refuse("--link: " + link.error().message);
  if (o.link.find("seed=") == std::string::npos) spec.link += fmt::format(" seed={}", o.seed);
  Result<std::vector<FlowSpec>> parsed = parse_flow_specs(o.flows);
  if (!parsed) return refuse("--flows: " + parsed.error().message);
  spec.flows = std::move(*parsed);
  const Result<Duration> duration = parse_time(o.duration);
  if (!duration) return refuse("--duration: " + duration.error().message);
  const Result<Duration> warm_up = parse_time(o.warm_up);
  if (!warm_up) return refuse("--warm-up: " + warm_up.error().message);
  if (*duration <= *warm_up) return refuse("--duration: nothing is left after --warm-up");
  spec.duration = *duration;
  spec.warm_up = *warm_up;
  spec.ecn = o.ecn;
  spec.seed = o.seed;
  if (const std::string missing = missing_for_emulator(); !missing.empty()) {
    spdlog::error("{} (`qvid-lab simulate` runs without)", missing);
    return kExitLabFailed;
  }
  std::optional<fmt::ostream> csv;
  if (!o.csv.empty()) {
    try {
      csv.emplace(fmt::output_file(o.csv));
    } catch (const std::system_error& e) {
      return refuse("--csv: " + in_quotes(o.csv) + " cannot be written: " + e.code().message());
    }
  }
  const StopOnSignal signals([] {});
  const RunResult run = run_on_bed(spec, signals.token());
  if (!run.error.empty()) {
    spdlog::error("{}", run.error);
    return signals.token().stop_requested() ? 130 : 1;
  }
  if (csv) write_csv(*csv, run);
  const std::vector<Row> rows = rows_of(run, o.each);
  if (common.json) {
    fmt::print("{}\n", json_of(run, rows).dump(2));
  } else {
    print(run, rows);
  }
  return 0;
}

}  // namespace

Run add_flows(CLI::App& lab, const CommonOptions& common) {
  const auto o = std::make_shared<FlowsOptions>();
  CLI::App* command = lab.add_subcommand(
      "flows", "Senders on real sockets over a link, and what each of them gets");
  command->add_option("--link", o->link, "As for run")->type_name("WORDS")->capture_default_str();
  command
      ->add_option(
          "--flows", o->flows,
          "SENDER[:COUNT][@START[-STOP]][/WORKLOAD[/SETTING]...],...  Senders: pace, adapt, sock, mtp, none, each "
          "with +fo for failover; cubic, reno, bbr, lowat, m10, m13, m20; quic, quic-bbr; srt; udp. Workloads: "
          "greedy, download, video=RATE (5mbit), chunks=RATE, frames=RATE, cbr=RATE, pulses=RATE, mice, web, "
          "goddard. Settings: farther=TIME, clock-error=TIME")
      ->type_name("FLOWS")
      ->capture_default_str();
  command->add_option("--duration", o->duration, "Of the run")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--warm-up", o->warm_up, "Not measured")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--seed", o->seed, "Of losses, walks, videos and starts")
      ->check(CLI::Range(std::uint64_t{0}, kMostSeed))
      ->capture_default_str();
  command->add_flag("--ecn", o->ecn, "Both ends' TCP uses ECN");
  command->add_option("--csv", o->csv, "Write one row for each flow and slot of 100 ms to it")
      ->type_name("FILE");
  command->add_flag("--each", o->each, "A line for each flow, not for each kind");
  return [o, &common] { return flows(*o, common); };
}

}  // namespace qvid::lab
