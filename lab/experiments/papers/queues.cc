// 004 table 6.2 and chapter 4.2.3: what a router's queue does about delay, and about a flow that
// does not give way.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace queues {
namespace {

struct Discipline {
  const char* name;
  const char* word;
  // 004 table 6.2 and section 6.2; 0: not published.
  double packet_delay, frame_delay, mbps, udp_over_ftp;
  double cbr_part;  // of the link, of a 10 Mbit/s flow (section 4.2.3.2)
};
constexpr std::array<Discipline, 6> kDisciplines = {
    {{"drop-tail", "drop-tail", 275, 329, 9.7, 7.4, .95},
     {"RED", "red", 0, 0, 0, 0, 0},
     {"CoDel", "codel", 0, 0, 0, 0, 0},
     {"ARC", "arc", 107, 111, 9.4, 3.5, 0},
     {"SFG", "sfg", 0, 0, 0, 0, 0},
     {"SFA", "sfa", 101, 101, 9.3, .6, 0}}};
constexpr Duration kWay = Duration(70'000'000);

std::vector<RunSpec> plan_with(const ExperimentOptions& options, const FlowSpec& udp) {
  std::vector<RunSpec> runs;
  for (const Discipline& d : kDisciplines) {
    RunSpec run{.name = d.name,
                .link = fmt::format("rate=10mbit delay=70ms queue=500kB up:aqm={}", d.word)};
    run.ecn = true;
    run.flows = {{.group = "ftp", .sender = "reno", .workload = Workload::kGreedy, .count = 24},
                 {.group = "competing ftp", .sender = "reno", .workload = Workload::kGreedy},
                 {.group = "web", .sender = "reno", .workload = Workload::kWeb, .count = 300},
                 udp};
    set_length(run, {.brief = 58s, .warm_up = 30s, .full = 400s, .full_warm_up = 100s}, options);
    runs.push_back(std::move(run));
  }
  return runs;
}

Cell published(double value) { return value > 0 ? Cell(value) : Cell(); }

constexpr const char* kTraffic =
    "10 Mbit/s, 70 ms each way, 500 kB of queue, TCP with ECN: 24 greedy reno flows, one more that "
    "is "
    "compared, 300 web sessions (pages of two objects, Pareto 1.2 with a mean of 5 kB, 7 s of "
    "thought) ";

Outcome evaluate_stream(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      std::string(kTraffic) +
      "and frames of 8 kB, 30 a second, over UDP (1.92 Mbit/s) that never give way. "
      "Packet delay: the link's and the mean wait in the queue.";
  Table table{.title = "Delay and shares by queue",
              .source = "004 table 6.2, figures 6.10 and 6.16",
              .columns = {{.name = "queue"},
                          {.name = "packet delay, ms", .paper = true},
                          {.name = "frame delay, ms", .paper = true},
                          {.name = "carried, Mbit/s", .decimals = 1, .paper = true},
                          {.name = "UDP / FTP, %", .paper = true},
                          {.name = "packet delay, ms"},
                          {.name = "frame delay, mean, ms"},
                          {.name = "99%, ms"},
                          {.name = "carried, Mbit/s", .decimals = 1},
                          {.name = "UDP / FTP, %"},
                          {.name = "frames that came whole, %"},
                          {.name = "dropped, %", .decimals = 1},
                          {.name = "marked, %", .decimals = 1}},
              .rows = {}};
  Panel bars{.title = "Frame delay, mean (004 table 6.2)",
             .x_label = "",
             .y_label = "ms",
             .series = {{.name = "004", .points = {}, .style = Series::Style::kBars, .paper = true},
                        {.name = "ours", .points = {}, .style = Series::Style::kBars}}};
  Panel line{
      .title = "Frame delay", .x_label = "ms", .y_label = "part of the frames", .series = {}};
  for (std::size_t i = 0; i < kDisciplines.size(); ++i) {
    const Discipline& d = kDisciplines[i];
    std::vector<Cell> row = {std::string(d.name), published(d.packet_delay),
                             published(d.frame_delay), published(d.mbps),
                             published(100 * d.udp_over_ftp)};
    bars.x_names.emplace_back(d.name);
    if (d.frame_delay > 0) bars.series[0].points.emplace_back(i, d.frame_delay);
    if (const RunResult* run = run_named(results, d.name)) {
      const LinkStats& up = run->link.up;
      const std::vector<double> frames = delays_ms(*run, "udp");
      const double udp = throughput_bps(*run, of_group("udp"));
      const double ftp = std::max(1.0, throughput_bps(*run, of_group("competing ftp")));
      const double packets = std::max(1.0, static_cast<double>(up.packets));
      const double captured = 30 * to_seconds(run->measured);
      row.insert(row.end(), {to_ms(kWay) + to_ms(up.waiting.mean()), mean(frames),
                             percentile(frames, .99), 10 * utilisation(*run), 100 * udp / ftp,
                             100 * static_cast<double>(frames.size()) / captured,
                             100 * static_cast<double>(up.queue_drops) / packets,
                             100 * static_cast<double>(up.queue_marks) / packets});
      bars.series[1].points.emplace_back(i, mean(frames));
      line.series.push_back(distribution(d.name, frames));
    }
    row.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back({.name = "queues",
                           .title = "Delay of UDP frames by queue",
                           .panels = {std::move(bars), std::move(line)}});
  outcome.notes = {
      "004's packet delay is that of the stream's packets, ours of all.",
      "004's stream was Goddard's, which scales down when it loses frames; this one does not.",
      "004's flows had round trips of 60 to 1000 ms, and 25 more ran the other way; here all have "
      "140 ms and one direction.",
      "The short form measures from 30 to 58 s: ARC and SFG, whose intervals are seconds, have "
      "just "
      "settled."};
  return outcome;
}

Outcome evaluate_cbr(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions = std::string(kTraffic) +
                       "and one constant rate of 10 Mbit/s over UDP, the whole link's, that never "
                       "gives way.";
  Table table{.title = "One flow that takes all",
              .source = "004 section 4.2.3.2, figures 4.20 and 4.21",
              .columns = {{.name = "queue"},
                          {.name = "UDP's part of the link, %", .paper = true},
                          {.name = "UDP's part of the link, %"},
                          {.name = "greedy TCP together, Mbit/s", .decimals = 2},
                          {.name = "carried, Mbit/s", .decimals = 1},
                          {.name = "mean wait, ms"},
                          {.name = "web object, median, ms"},
                          {.name = "90%, ms"}},
              .rows = {}};
  Panel bars{.title = "Who gets the link",
             .x_label = "",
             .y_label = "Mbit/s",
             .series = {{.name = "UDP", .points = {}, .style = Series::Style::kBars},
                        {.name = "greedy TCP", .points = {}, .style = Series::Style::kBars}}};
  for (std::size_t i = 0; i < kDisciplines.size(); ++i) {
    const Discipline& d = kDisciplines[i];
    std::vector<Cell> row = {std::string(d.name), published(100 * d.cbr_part)};
    bars.x_names.emplace_back(d.name);
    if (const RunResult* run = run_named(results, d.name)) {
      const double udp = throughput_bps(*run, of_group("udp"));
      const double tcp =
          throughput_bps(*run, of_group("ftp")) + throughput_bps(*run, of_group("competing ftp"));
      const std::vector<double> web = transfers_ms(*run);
      row.insert(row.end(), {100 * udp / 10e6, tcp / 1e6, 10 * utilisation(*run),
                             to_ms(run->link.up.waiting.mean())});
      if (!web.empty()) row.insert(row.end(), {percentile(web, .5), percentile(web, .9)});
      bars.series[0].points.emplace_back(i, udp / 1e6);
      bars.series[1].points.emplace_back(i, tcp / 1e6);
    }
    row.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back(
      {.name = "unresponsive", .title = "One flow that takes all", .panels = {std::move(bars)}});
  outcome.notes = {
      "004 had 10 to 400 forward flows in steps of 200 s, 50 backward ones, and the constant rate "
      "for "
      "1600 s; here 25 forward flows and no backward ones. Of drop-tail it reports web service "
      "times "
      "of 50 to 300 s, of ARC 2 to 13 s.",
      "A web object that does not come within the run is not in its measures: where UDP "
      "takes all, few do."};
  return outcome;
}

std::vector<RunSpec> plan_stream(const ExperimentOptions& options) {
  return plan_with(options, {.group = "udp",
                             .sender = "udp",
                             .workload = Workload::kFrames,
                             .rate = DataRate::from_kbps(1920)});
}
std::vector<RunSpec> plan_cbr(const ExperimentOptions& options) {
  return plan_with(options, {.group = "udp",
                             .sender = "udp",
                             .workload = Workload::kCbr,
                             .rate = DataRate::from_kbps(10'000)});
}

}  // namespace
}  // namespace queues

const Experiment kQueues = {.name = "queues",
                            .title = "Queues, and a stream that does not give way",
                            .source = "004 table 6.2, figures 6.10, 6.16",
                            .plan = queues::plan_stream,
                            .evaluate = queues::evaluate_stream};
const Experiment kUnresponsive = {.name = "unresponsive",
                                  .title = "Queues, and a flow that takes all",
                                  .source = "004 section 4.2.3.2",
                                  .plan = queues::plan_cbr,
                                  .evaluate = queues::evaluate_cbr};

}  // namespace qvid::lab
