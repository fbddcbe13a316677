// 001 tables I to III: how much may wait in the socket. A flow of each kind among 15 greedy flows,
// 80 mice and a constant bit rate.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace minbuf {
namespace {

constexpr std::array<int, 2> kRates = {30, 12};       // Mbit/s
constexpr std::array<int, 3> kTrips = {100, 50, 25};  // ms
constexpr std::size_t kElephants = 15;
constexpr std::size_t kMice = 80;
constexpr double kCbrPart = .1;

struct Kind {
  const char* sender;
  const char* name;
  // By rate, then by round trip: within 200 ms, within 500 ms, mean in ms, normalised throughput.
  // Zero: not published.
  std::array<std::array<std::array<double, 4>, 3>, 2> published;
};
constexpr std::array<Kind, 5> kKinds = {{
    {"reno",
     "TCP",
     {{{{{.73, .91, 226.31, 1}, {.72, .92, 218.84, 1}, {.84, .94, 138.61, 1}}},
       {{{.53, .80, 369.22, 1}, {.62, .88, 260.27, 1}, {.60, .86, 296.25, 1}}}}}},
    {"m10",
     "MIN_BUF(1,0)",
     {{{{{.99, 1, 62.91, .66}, {.99, 1, 37.09, .71}, {1, 1, 19.71, .76}}},
       {{{.98, 1, 69.73, .67}, {.99, 1, 38.50, .76}, {.99, 1, 25.94, .89}}}}}},
    {"m13",
     "MIN_BUF(1,3)",
     {{{{{.98, 1, 76.19, .96}, {.99, .99, 51.54, .87}, {.99, 1, 28.29, .92}}},
       {{{.95, .99, 91.42, .92}, {.99, 1, 49.17, 1.06}, {.98, 1, 39.08, 1.08}}}}}},
    {"m20",
     "MIN_BUF(2,0)",
     {{{{{.91, .99, 152.14, 1.02}, {.97, .99, 89.74, 1.13}, {.99, 1, 48.21, .91}}},
       {{{.86, .99, 162.26, 1.13}, {.97, .99, 87.90, 1.08}, {.98, .99, 61.31, 1.12}}}}}},
    {"lowat", "cubic, TCP_NOTSENT_LOWAT", {}},
}};

std::string name_of(int rate, int trip) { return fmt::format("{} Mbit/s, {} ms", rate, trip); }

// The paper's 80 s: greedy flows from 5 to 60, mice from 20 to 75, constant rate from 40 to 75.
RunSpec run_of(int rate, int trip, const ExperimentOptions& options) {
  RunSpec run{.name = name_of(rate, trip),
              .link = fmt::format("rate={}mbit delay={}us queue={}ms", rate, trip * 500, trip)};
  run.duration = options.full ? 80s : from_seconds(50 * options.stretch);
  run.warm_up = {};
  run.seed = options.seed;
  const auto at = [&](double second) {
    return from_seconds(second / 80 * to_seconds(run.duration));
  };
  for (const Kind& kind : kKinds) {
    run.flows.push_back({.group = kind.name, .sender = kind.sender, .workload = Workload::kGreedy});
  }
  run.flows.push_back({.group = "elephants",
                       .sender = "reno",
                       .workload = Workload::kGreedy,
                       .count = kElephants,
                       .start = at(5),
                       .stop = at(60)});
  run.flows.push_back({.group = "mice",
                       .sender = "reno",
                       .workload = Workload::kMice,
                       .count = kMice,
                       .start = at(20),
                       .stop = at(75)});
  run.flows.push_back(
      {.group = "cbr",
       .sender = "udp",
       .workload = Workload::kCbr,
       .rate = DataRate::from_kbps(static_cast<std::int64_t>(1000 * rate * kCbrPart)),
       .start = at(40),
       .stop = at(75)});
  return run;
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const int rate : kRates) {
    for (const int trip : kTrips) runs.push_back(run_of(rate, trip, options));
  }
  return runs;
}

double part_within(const std::vector<double>& values, double limit) {
  if (values.empty()) return 0;
  const auto within = std::ranges::count_if(values, [&](double v) { return v <= limit; });
  return static_cast<double>(within) / static_cast<double>(values.size());
}

Table table_of(std::string title, std::string source, int decimals,
               const std::vector<std::string>& measures) {
  Table table{.title = std::move(title), .source = std::move(source), .columns = {}, .rows = {}};
  table.columns = {{.name = "Mbit/s"}, {.name = "flow"}};
  for (const bool paper : {true, false}) {
    for (const int trip : kTrips) {
      for (const std::string& measure : measures) {
        table.columns.push_back(
            {.name = fmt::format("{} ms{}", trip, measure), .decimals = decimals, .paper = paper});
      }
    }
  }
  return table;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "One greedy flow of each kind, all in the same run, with 15 greedy reno flows (from 5 to 60 "
      "of "
      "the paper's 80 s), 80 mice (transfers of 20 kB, 20 to 75 s) and a constant rate of a tenth "
      "of "
      "the link (40 to 75 s). Drop-tail of one bandwidth-delay product. Delay: from the "
      "application's write to the receiving application's read.";
  Table within = table_of("Part of the units delivered within 200 and 500 ms", "001 table I", 2,
                          {", 200", ", 500"});
  Table average = table_of("Mean delay, ms", "001 table II", 1, {""});
  Table throughput = table_of("Throughput over that of TCP", "001 table III", 2, {""});
  Plot plot{.name = "minbuf", .title = "Delay from write to read (001 figure 5)", .panels = {}};
  for (std::size_t r = 0; r < kRates.size(); ++r) {
    for (const Kind& kind : kKinds) {
      const Cell rate = static_cast<double>(kRates[r]);
      std::vector<Cell> rows[3] = {{rate, std::string(kind.name)},
                                   {rate, std::string(kind.name)},
                                   {rate, std::string(kind.name)}};
      const bool published = kind.published[r][0][0] > 0;
      for (const std::array<double, 4>& p : kind.published[r]) {
        const auto add = [&](std::vector<Cell>& row, double value) {
          row.push_back(published ? Cell(value) : Cell());
        };
        add(rows[0], p[0]);
        add(rows[0], p[1]);
        add(rows[1], p[2]);
        add(rows[2], p[3]);
      }
      for (const int trip : kTrips) {
        const RunResult* run = run_named(results, name_of(kRates[r], trip));
        if (!run) {
          rows[0].resize(rows[0].size() + 2);
          rows[1].resize(rows[1].size() + 1);
          rows[2].resize(rows[2].size() + 1);
          continue;
        }
        const std::vector<double> all = delays_ms(*run, kind.name);
        rows[0].insert(rows[0].end(), {part_within(all, 200), part_within(all, 500)});
        rows[1].emplace_back(mean(all));
        rows[2].emplace_back(throughput_bps(*run, of_group(kind.name)) /
                             std::max(1.0, throughput_bps(*run, of_group(kKinds[0].name))));
      }
      within.rows.push_back(std::move(rows[0]));
      average.rows.push_back(std::move(rows[1]));
      throughput.rows.push_back(std::move(rows[2]));
    }
    if (const RunResult* run = run_named(results, name_of(kRates[r], kTrips[0]))) {
      Panel panel{.title = name_of(kRates[r], kTrips[0]),
                  .x_label = "ms",
                  .y_label = "part of the units",
                  .log_x = true,
                  .series = {}};
      for (const Kind& kind : kKinds) {
        panel.series.push_back(distribution(kind.name, delays_ms(*run, kind.name)));
        const auto& p = kind.published[r][0];
        if (p[0] > 0) {
          panel.series.push_back({.name = kind.name,
                                  .points = {{200, p[0]}, {500, p[1]}},
                                  .style = Series::Style::kPoints,
                                  .paper = true});
        }
      }
      plot.panels.push_back(std::move(panel));
    }
  }
  outcome.tables = {std::move(within), std::move(average), std::move(throughput)};
  outcome.plots.push_back(std::move(plot));
  outcome.notes = {
      "The paper does not say how long its queues were; its delays suggest about one "
      "bandwidth-delay "
      "product.",
      "The paper changed the kernel so that a write blocks; here the application looks at TCP_INFO "
      "and SIOCOUTQ, after every acknowledgement of the other application and every millisecond.",
      "The paper ran one flow at a time, eight times; here all share one run, cubic with "
      "TCP_NOTSENT_LOWAT among them, which 001 had not, so that throughputs are compared under the "
      "same load. With a bbr flow among them it took most of the link, and the others' delays were "
      "of its making.",
      "Delays are longer than the paper's: today's sockets buffer megabytes, and mice begin with "
      "ten segments instead of two, so that 80 of them keep the queue full."};
  return outcome;
}

}  // namespace
}  // namespace minbuf

const Experiment kMinBuf = {.name = "minbuf",
                            .title = "MIN_BUF: how much may wait in the socket",
                            .source = "001 tables I-III, figure 5",
                            .plan = minbuf::plan,
                            .evaluate = minbuf::evaluate};

}  // namespace qvid::lab
