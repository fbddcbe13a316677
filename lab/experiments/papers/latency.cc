// Thesis tables 3.2, 3.3, 3.4 and 4.1 to 4.4, and figure 3.7: 8 to 32 videos of 5 Mbit/s each over
// 16 Mbit/s, with every controller and every rival. One experiment for each number of flows.
#include <fmt/format.h>

#include <array>
#include <string>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace latency {
namespace {

// "none" is the thesis's TCP: the same program without a latency controller.
constexpr std::array<const char*, 10> kSenders = {"none",  "sock", "adapt", "adapt+fo", "pace+fo",
                                                  "cubic", "reno", "bbr",   "lowat",    "srt"};
constexpr std::size_t kSenderCount = kSenders.size();

constexpr const char* kCrowd =
    "windows of two or three segments lose packets where all go on after a dip, and wait for "
    "time-outs; in one run of four 32 flows take each other for competitors and compete for half a "
    "minute; docs/paceline.md";

struct Published {
  const char* sender;
  double median, p999, worst, jain;  // ms; 0: not published
};
struct Setting {
  std::size_t flows;
  double target_median, target_p999;  // ms, of pace+fo
  std::array<Published, 4> published;
};
// Tables 3.3, 3.4, 4.1, 4.2, 4.3 and 4.4.
constexpr std::array<Setting, 4> kSettings = {{
    {8,
     60,
     110,
     {{{"none", 591.1, 2588.5, 3245.0, .84},
       {"sock", 140.1, 319.5, 525.0, .86},
       {"adapt", 140.0, 584.9, 1085.3, .84},
       {"adapt+fo", 140.0, 419.3, 611.8, .86}}}},
    {16,
     65,
     120,
     {{{"none", 652.4, 4580.1, 5192.6, .78},
       {"sock", 164.2, 868.1, 1191.8, .85},
       {"adapt", 182.5, 1165.0, 2228.9, .86},
       {"adapt+fo", 179.7, 707.8, 892.3, .85}}}},
    {24,
     75,
     150,
     {{{"none", 707.6, 4640.0, 6536.7, .73},
       {"sock", 180.6, 1212.4, 1694.9, .82},
       {"adapt", 217.2, 1470.9, 2311.0, .80},
       {"adapt+fo", 209.6, 840.3, 1052.4, .81}}}},
    {32,
     85,
     200,
     {{{"none", 748.6, 10256.1, 18587.6, .70},
       {"sock", 211.7, 1402.1, 2239.9, .79},
       {"adapt", 264.9, 2064.5, 3180.5, .76},
       {"adapt+fo", 239.4, 1023.5, 1281.9, .76}}}},
}};

std::vector<RunSpec> plan(const Setting& setting, const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (std::size_t i = 0; i < kSenderCount; ++i) {
    RunSpec run{.name = kSenders[i], .link = std::string(kThesisLink)};
    run.flows = {{.sender = kSenders[i], .count = setting.flows}};
    set_length(run, {.brief = 35s, .warm_up = 7s}, options);
    runs.push_back(std::move(run));
  }
  return runs;
}

Outcome evaluate(const Setting& setting, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions = fmt::format(
      "{} videos of 5 Mbit/s (30 frames a second, eight layers, a frame's deadline 167 ms after "
      "its "
      "capture) share 16 Mbit/s, 30 ms of round trip, drop-tail of 120 kB. Oldest unacked: in each "
      "100 ms, the largest round trip from written to acknowledged by the peer application, or "
      "the age of the oldest byte that is not. Delay of the base: capture to delivery, of those "
      "delivered. `none` is "
      "the "
      "thesis's TCP, the same application without a latency controller; `+fo` has a standby socket "
      "and failover; `lowat` is cubic with TCP_NOTSENT_LOWAT of 16 kB, written in order of "
      "importance as the other plain TCP senders; `srt` is libsrt in live mode with 120 ms.",
      setting.flows);
  Table table{.title = fmt::format("{} flows", setting.flows),
              .source = "000 tables 3.3, 3.4, 4.1, 4.2, 4.3 and 4.4",
              .columns = {{.name = "sender"},
                          {.name = "median, ms", .paper = true},
                          {.name = "99.9%, ms", .paper = true},
                          {.name = "worst, ms", .paper = true},
                          {.name = "Jain, 500 ms", .decimals = 2, .paper = true},
                          {.name = "median, ms"},
                          {.name = "99.9%, ms"},
                          {.name = "worst, ms"},
                          {.name = "Jain, 500 ms", .decimals = 3},
                          {.name = "utilisation", .decimals = 3},
                          {.name = "starved slots", .decimals = 3},
                          {.name = "failovers"},
                          {.name = "frames shown a second", .decimals = 1},
                          {.name = "layers", .decimals = 1},
                          {.name = "base's delay, 99.9%, ms"}},
              .rows = {}};
  Panel delay{.title = "Oldest unacked (thesis figure 3.7 a)",
              .x_label = "ms",
              .y_label = "part of the slots",
              .log_x = true,
              .series = {}};
  Panel share{.title = "Share of the fair rate, 500 ms (figure 3.7 b)",
              .x_label = "throughput / fair share",
              .y_label = "part of flows and slots",
              .x_range = {{0, 2.5}},
              .series = {}};
  for (std::size_t i = 0; i < kSenderCount; ++i) {
    const std::string sender = kSenders[i];
    std::vector<Cell> row = {sender};
    const Published* published = nullptr;
    for (const Published& p : setting.published) {
      if (sender == p.sender) published = &p;
    }
    if (published) {
      row.insert(row.end(),
                 {published->median, published->p999, published->worst, published->jain});
      delay.series.push_back({.name = sender,
                              .points = {{published->median, .5}, {published->p999, .999}},
                              .style = Series::Style::kPoints,
                              .paper = true});
    } else {
      row.resize(5);
    }
    if (const RunResult* run = run_named(results, sender)) {
      const FlowFilter all = of_group("");
      const std::vector<double> ages = oldest_unacked_ms(*run, all);
      const double median = percentile(ages, .5);
      const double p999 = percentile(ages, .999);
      const double fair = jain(*run, all, 500ms);
      const double used = utilisation(*run);
      double shown = 0;
      double frames = 0;
      double layers = 0;
      std::vector<double> base;
      for (const FlowResult& flow : run->flows) {
        shown += static_cast<double>(flow.video.shown);
        layers += static_cast<double>(flow.video.layers);
        frames += static_cast<double>(flow.video.frames);
        base.insert(base.end(), flow.video.delays_ms[0].begin(), flow.video.delays_ms[0].end());
      }
      const double fps = frames > 0 ? 30 * shown / frames : 0;
      if (ages.empty()) {
        row.insert(row.end(), 3, kNothing);
      } else {
        row.insert(row.end(), {median, p999, percentile(ages, 1)});
      }
      double failovers = 0;
      for (const FlowResult& flow : run->flows) failovers += static_cast<double>(flow.failovers);
      row.insert(row.end(), {fair, used, starved(*run, all, 500ms), failovers, fps,
                             shown > 0 ? layers / shown : 0, percentile(base, .999)});
      if (!ages.empty()) delay.series.push_back(distribution(sender, ages));
      share.series.push_back(distribution(sender, shares(*run, all, 500ms)));
      if (sender == "pace+fo") {
        const std::string what = fmt::format("pace+fo, {} flows: ", setting.flows);
        const std::string why = setting.flows < 24 ? "" : kCrowd;
        outcome.targets.push_back({.what = what + "median oldest unacked, ms",
                                   .wanted = setting.target_median,
                                   .got = median,
                                   .reason = why});
        outcome.targets.push_back({.what = what + "99.9% oldest unacked, ms",
                                   .wanted = setting.target_p999,
                                   .got = p999,
                                   .reason = why});
        outcome.targets.push_back(
            {.what = what + "utilisation", .wanted = .97, .at_least = true, .got = used});
        outcome.targets.push_back({.what = what + "Jain, 500 ms",
                                   .wanted = .93,
                                   .at_least = true,
                                   .got = fair,
                                   .reason = why});
        outcome.targets.push_back({.what = what + "slots of 500 ms in which a flow got nothing",
                                   .wanted = 0,
                                   .got = starved(*run, all, 500ms)});
      }
    }
    row.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back({.name = fmt::format("latency-{}", setting.flows),
                           .title = fmt::format("{} flows", setting.flows),
                           .panels = {std::move(delay), std::move(share)}});
  outcome.notes.push_back(
      "The thesis's curves are not published as numbers; the marks are the values of its tables.");
  return outcome;
}

template <std::size_t I>
std::vector<RunSpec> plan_of(const ExperimentOptions& options) {
  return plan(kSettings[I], options);
}
template <std::size_t I>
Outcome evaluate_of(const ExperimentOptions&, std::span<const RunResult> results) {
  return evaluate(kSettings[I], results);
}

template <std::size_t I>
constexpr Experiment experiment(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .source = "000 tables 3.3, 3.4, 4.1-4.4, figure 3.7",
          .plan = plan_of<I>,
          .evaluate = evaluate_of<I>};
}

}  // namespace
}  // namespace latency

const Experiment kLatency8 = latency::experiment<0>("latency-8", "Latency and fairness, 8 flows");
const Experiment kLatency16 =
    latency::experiment<1>("latency-16", "Latency and fairness, 16 flows");
const Experiment kLatency24 =
    latency::experiment<2>("latency-24", "Latency and fairness, 24 flows");
const Experiment kLatency32 =
    latency::experiment<3>("latency-32", "Latency and fairness, 32 flows");

}  // namespace qvid::lab
