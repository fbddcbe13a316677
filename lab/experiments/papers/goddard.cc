// Goddard, 004's adaptive streaming client and server, over TCP, MTP, plain UDP and the product's own
// controller, beside the product's stored video.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "lab/bed/goddard.h"
#include "lab/bed/stored_video.h"
#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"
#include "lab/experiments/streaming_measure.h"

namespace qvid::lab {
namespace goddard {
namespace {

struct Viewer {
  const char* name;
  const char* sender;  // empty: the product's programs
  bool by_all_links;   // else beside the FTP alone
};
// The thesis's TCP is Reno, and its MTP has Reno's window.
constexpr std::array<Viewer, 5> kViewers = {{{"TCP", "reno", true},
                                             {"MTP", "mtp+udp", true},
                                             {"UDP", "udp", false},
                                             {"pace", "pace+fo+udp", true},
                                             {"qvid", "", true}}};
constexpr std::string_view kQvid = "qvid";
constexpr std::string_view kMtpViewer = "MTP";
constexpr std::string_view kTcpViewer = "TCP";
constexpr const char* kFtp = "ftp";

struct Link {
  const char* name;
  const char* words;
  Duration brief;        // of the run
  DataRate fair{};       // to adapt to; zero: the question is not asked
  Duration changes{};    // since the run's begin: then the rate falls; zero: never
  bool ftp = false;      // beside it
  int first_scale = -1;  // that 004 has there; -1: it does not say
  bool drawn = true;     // in the picture of scales
};
// 750 kbit/s with 20 kB of queue and 140 ms of round trip are 004's modem (section 5.2.3): its streams
// begin at scale 4.
constexpr std::array<Link, 5> kLinks = {{{.name = "0.75 Mbit/s",
                                          .words = "rate=750kbit delay=70ms queue=20kB",
                                          .brief = 18s,
                                          .fair = DataRate::from_kbps(750),
                                          .first_scale = 4},
                                         {.name = "16 Mbit/s",
                                          .words = "rate=16mbit delay=15ms queue=60ms",
                                          .brief = 10s,
                                          .drawn = false},
                                         {.name = "4 Mbit/s, 2% lost",
                                          .words = "rate=4mbit delay=70ms queue=60kB up:loss=2%",
                                          .brief = 18s},
                                         {.name = "3 Mbit/s, an FTP",
                                          .words = "rate=3mbit delay=70ms queue=60kB",
                                          .brief = 19s,
                                          .fair = DataRate::from_kbps(1500),
                                          .ftp = true},
                                         {.name = "4 and 0.6 Mbit/s",
                                          .words = "rate=4mbit delay=15ms queue=60kB",
                                          .brief = 26s,
                                          .fair = DataRate::from_kbps(600),
                                          .changes = 8s}}};
constexpr Duration kOpens = 1s;    // since the run's begin
constexpr Duration kLow = 12s;     // of the link that changes, at the low rate
constexpr Duration kPeriod = 40s;  // from one fall to the next
constexpr Duration kFull = 301s;   // 004: 300 s of streaming
constexpr Duration kVideo = 40s;   // of the product's file: more than is played
constexpr double kSettled = 5;     // s at the fair rate or below, to have adapted
constexpr double kApart = 0.07;    // of a scale: lines that would lie on each other
constexpr double kAsMany = .95;    // of frames: some at the edges of nine seconds count or do not
constexpr double kMostStalls = 1;  // of MTP: none or at most one in 004

constexpr const char* kShort =
    "in the short form most of it is before the scale fits what the FTP leaves";
constexpr const char* kTwoLayers =
    "the product's file has two layers, and nothing between its base and all of it";

std::string name_of(const Link& link, const Viewer& viewer) {
  return fmt::format("{}, {}", link.name, viewer.name);
}

bool is_run(const Link& link, const Viewer& viewer) { return viewer.by_all_links || link.ftp; }

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Link& link : kLinks) {
    for (const Viewer& viewer : kViewers) {
      if (!is_run(link, viewer)) continue;
      RunSpec run{.name = name_of(link, viewer), .link = link.words};
      set_length(run,
                 {.brief = link.brief, .warm_up = kOpens, .full = kFull, .full_warm_up = kOpens},
                 options);
      if (link.changes > Duration::zero()) {
        for (Duration at = link.changes; at < run.duration; at += kPeriod) {
          run.link += fmt::format(" rate@{:.0f}s=600kbit rate@{:.0f}s=4mbit", to_seconds(at),
                                  to_seconds(at + kLow));
        }
      }
      if (link.ftp) {
        run.flows = {{.group = kFtp, .sender = "cubic", .workload = Workload::kGreedy}};
      }
      if (viewer.name == kQvid) {
        run.programs.serve = {"test", "--size", "160x120"};  // nobody watches that
        run.programs.stored = std::max(kVideo, run.duration);
        run.programs.players = {
            {.group = std::string(kQvid), .video = kStoredName, .start = kOpens}};
      } else {
        run.flows.push_back({.group = viewer.name,
                             .sender = viewer.sender,
                             .workload = Workload::kGoddard,
                             .window = kGoddardWindow,
                             .start = kOpens});
      }
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

// Seconds from then until what is received is of a scale of at most the fair rate, and stays so.
double adaptation_of(const GoddardResult& result, const Link& link, Duration end) {
  const double since = to_seconds(link.changes > Duration::zero() ? link.changes : kOpens);
  double adapted = kNothingMeasured;  // since then
  for (std::size_t i = 0; i < result.scales.size(); ++i) {
    const auto [from, scale] = result.scales[i];
    const double to = i + 1 < result.scales.size() ? result.scales[i + 1].first : to_seconds(end);
    if (to <= since) continue;
    if (kGoddardScales[static_cast<std::size_t>(scale)].bitrate() > link.fair) {
      adapted = kNothingMeasured;
      continue;
    }
    if (std::isnan(adapted)) adapted = std::max(from, since);
    if (to - adapted >= kSettled) return adapted - since;
  }
  return kNothingMeasured;
}

struct Measured {
  StreamingRow row{};
  double kbps = kNothingMeasured;  // of what was shown, in the time played and stalled
  double first_scale = kNothingMeasured;
  double scale = kNothingMeasured;       // mean
  double adaptation = kNothingMeasured;  // s
  double of_ftp = kNothingMeasured;      // rate over the FTP's
};

// Of what is shown at each level.
double shown_kbps(const StreamingRow& row, std::span<const double> kbps_by_level) {
  double kbps = 0;
  for (std::size_t i = 0; i < kbps_by_level.size(); ++i) kbps += row.share[i] * kbps_by_level[i];
  return kbps * row.played / (row.played + row.stalled);
}

Measured measured_goddard(const GoddardResult& result, const Link& link, Duration end) {
  Measured m{.row = streaming_row(result.measures)};
  std::vector<double> kbps = {0};
  for (const GoddardScale& scale : kGoddardScales) kbps.push_back(scale.bitrate().kbps());
  m.kbps = shown_kbps(m.row, kbps);
  if (!result.scales.empty()) m.first_scale = result.scales.front().second;
  double shown = 0;
  double sum = 0;
  for (std::size_t level = 1; level < kbps.size(); ++level) {
    shown += m.row.share[level];
    sum += m.row.share[level] * static_cast<double>(level - 1);
  }
  m.scale = sum / shown;
  if (link.fair > DataRate()) m.adaptation = adaptation_of(result, link, end);
  return m;
}

Measured measured_product(const PlayerResult& player, const StoredVideo& video) {
  Measured m{.row = streaming_row(player.report)};
  std::vector<double> kbps(static_cast<std::size_t>(video.layers) + 1, video.total_rate().kbps());
  kbps[0] = 0;
  // A file of two layers is what the lab makes; of more, those between count as all.
  if (video.layers > 1) kbps[1] = video.base_rate().kbps();
  m.kbps = shown_kbps(m.row, kbps);
  return m;
}

// Content of the product's player; it reports no rate over time.
double product_bps(const RunResult& run) {
  const auto bytes = run.players.at(0).report.find("bytes");
  if (bytes == run.players[0].report.end()) return kNothingMeasured;
  return 8 * bytes->second / to_seconds(run.spec.duration - kOpens);
}

const GoddardResult* goddard_of(const RunResult& run) {
  for (const FlowResult& flow : run.flows) {
    if (flow.goddard) return &*flow.goddard;
  }
  return nullptr;
}

std::optional<Measured> measured(std::span<const RunResult> results, const Link& link,
                                 const Viewer& viewer) {
  const RunResult* run = run_named(results, name_of(link, viewer));
  if (!run) return std::nullopt;
  Measured m;
  double bps = 0;
  if (viewer.name == kQvid) {
    if (run->players.empty() || !run->players[0].error.empty() || !run->stored) return std::nullopt;
    m = measured_product(run->players[0], run->stored->video);
    bps = product_bps(*run);
  } else {
    const GoddardResult* result = goddard_of(*run);
    if (!result) return std::nullopt;
    m = measured_goddard(*result, link, run->spec.duration);
    bps = throughput_bps(*run, of_group(viewer.name));
  }
  if (link.ftp) m.of_ftp = bps / throughput_bps(*run, of_group(kFtp));
  return m;
}

void add_targets(const Link& link, const Measured* tcp, const Measured* mtp,
                 const Measured* product, bool full, Outcome& outcome) {
  const auto target = [&](const char* what, double wanted, bool at_least, double got,
                          const char* reason = "") {
    if (std::isnan(wanted)) return;
    outcome.targets.push_back({.what = fmt::format("{}: {}", link.name, what),
                               .wanted = wanted,
                               .at_least = at_least,
                               .got = got,
                               .reason = reason});
  };
  if (mtp && link.first_scale >= 0) {
    target("Goddard by MTP, first scale, at least", link.first_scale, true, mtp->first_scale);
    target("Goddard by MTP, first scale, at most", link.first_scale, false, mtp->first_scale);
  }
  if (mtp) target("Goddard by MTP, re-buffering events", kMostStalls, false, mtp->row.stalls);
  if (mtp && link.ftp) target("Goddard by MTP, rate over the FTP's", 1, false, mtp->of_ftp);
  if (mtp && tcp && link.ftp) {
    target("Goddard by MTP, jitter (TCP's is wanted)", tcp->row.jitter(), false, mtp->row.jitter(),
           full ? "" : kShort);
  }
  if (!mtp || !product) return;
  target("qvid, start-up, s (Goddard's by MTP)", mtp->row.start_up, false, product->row.start_up);
  target("qvid, re-buffering events (Goddard's by MTP)", mtp->row.stalls, false,
         product->row.stalls);
  target("qvid, frames a second (95% of Goddard's by MTP)", kAsMany * mtp->row.frame_rate, true,
         product->row.frame_rate);
  target("qvid, media shown, kbit/s (Goddard's by MTP)", mtp->kbps, true, product->kbps,
         kTwoLayers);
}

// Scale over time of each of Goddard's streams, and where it ran dry.
Panel scales_panel(std::span<const RunResult> results, const Link& link) {
  Panel panel{.title = link.name,
              .x_label = "s",
              .y_label = "scale received",
              .y_range = std::pair(-0.5, 6.5),
              .series = {}};
  Series dry{.name = "re-buffering", .points = {}, .style = Series::Style::kPoints};
  for (const Viewer& viewer : kViewers) {
    const RunResult* run = run_named(results, name_of(link, viewer));
    const GoddardResult* result = run ? goddard_of(*run) : nullptr;
    if (!result || result->scales.empty()) continue;
    Series series{.name = viewer.name, .points = {}, .style = Series::Style::kSteps};
    const double apart = kApart * static_cast<double>(&viewer - kViewers.data());
    const double end = to_seconds(run->spec.duration);
    for (const auto& [at, scale] : result->scales) series.points.emplace_back(at, scale + apart);
    series.points.emplace_back(end, result->scales.back().second + apart);
    panel.x_range = std::pair(0.0, end);
    for (const double at : result->rebuffered) {
      const auto after = std::ranges::find_if(result->scales, [&](auto s) { return s.first > at; });
      if (after != result->scales.begin())
        dry.points.emplace_back(at, std::prev(after)->second + apart);
    }
    panel.series.push_back(std::move(series));
  }
  panel.series.push_back(std::move(dry));
  return panel;
}

Panel intervals_panel(std::span<const RunResult> results, const Link& link) {
  Panel panel{.title = link.name,
              .x_label = "interval of frames received, ms",
              .y_label = "part of them",
              .x_range = std::pair(0.0, 300.0),
              .series = {}};
  for (const Viewer& viewer : kViewers) {
    const RunResult* run = run_named(results, name_of(link, viewer));
    const GoddardResult* result = run ? goddard_of(*run) : nullptr;
    if (!result || result->intervals_ms.empty()) continue;
    panel.series.push_back(
        distribution(viewer.name, {result->intervals_ms.begin(), result->intervals_ms.end()}));
  }
  return panel;
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "Goddard's server and client with the thesis's scales (0 to 6: 80, 120, 240, 320, 640, 960 and 1920 "
      "kbit/s) and rules. TCP: reno; MTP: `mtp+udp`; pace: `pace+fo+udp`; UDP: datagrams that nothing holds "
      "back. Beside them 'qvid serve --files' and 'qvid play --headless' of a file prepared at 2.5 Mbit/s. The "
      "FTP is one greedy cubic flow. 4 and 0.6: the rate falls after 8 s, for 12 s. Jitter is the deviation of "
      "the intervals of received frames over their mean. Adaptation: until what is received is of a scale of at "
      "most the fair rate (of the link, or half of it beside the FTP) for 5 s; of the changing link from the "
      "fall on.";
  Table table{.title = "Goddard and the product's stored video",
              .source = "004 section 5.2.3",
              .columns = {{.name = "link"},
                          {.name = "viewer"},
                          {.name = "start-up, s", .decimals = 2},
                          {.name = "re-buffering"},
                          {.name = "re-buffering, s", .decimals = 1},
                          {.name = "frames a second", .decimals = 1},
                          {.name = "media shown, kbit/s"},
                          {.name = "first scale"},
                          {.name = "mean scale", .decimals = 1},
                          {.name = "switches"},
                          {.name = "mean interval, ms", .decimals = 1},
                          {.name = "jitter", .decimals = 2},
                          {.name = "adaptation, s", .decimals = 1},
                          {.name = "rate / FTP's", .decimals = 2}},
              .rows = {}};
  for (const Link& link : kLinks) {
    std::array<std::optional<Measured>, kViewers.size()> all;
    const auto of = [&](std::string_view name) -> const Measured* {
      const auto at = std::ranges::find(kViewers, name, &Viewer::name) - kViewers.begin();
      const auto& found = all[static_cast<std::size_t>(at)];
      return found ? &*found : nullptr;
    };
    for (std::size_t i = 0; i < kViewers.size(); ++i) {
      if (!is_run(link, kViewers[i])) continue;
      all[i] = measured(results, link, kViewers[i]);
      const Measured m = all[i].value_or(Measured());
      table.rows.push_back({std::string(link.name), std::string(kViewers[i].name),
                            cell(m.row.start_up), cell(m.row.stalls), cell(m.row.stalled),
                            cell(m.row.frame_rate), cell(m.kbps), cell(m.first_scale),
                            cell(m.scale), cell(m.row.switches), cell(m.row.interval_ms),
                            cell(m.row.jitter()), cell(m.adaptation), cell(m.of_ftp)});
    }
    add_targets(link, of(kTcpViewer), of(kMtpViewer), of(kQvid), options.full, outcome);
  }
  outcome.tables.push_back(std::move(table));
  Plot scales{.name = "goddard", .title = "Goddard's scale over time", .panels = {}};
  Plot intervals{.name = "goddard-jitter", .title = "Goddard's frames received", .panels = {}};
  for (const Link& link : kLinks) {
    if (link.drawn) scales.panels.push_back(scales_panel(results, link));
    if (link.fair > DataRate() && link.changes == Duration::zero()) {
      intervals.panels.push_back(intervals_panel(results, link));
    }
  }
  outcome.plots = {std::move(scales), std::move(intervals)};
  outcome.notes = {
      "The short form has no minute in which a scale could rise; `--full` has 300 s, as the thesis.",
      "The thesis's MTP repeats nothing; here a session sends again what is lost while its frame is not "
      "five seconds old, as the thesis wishes for. Before it is a queue of 64 kB that drops whole frames at its "
      "front; the thesis's drops packets.",
      "The thesis's TCP takes all at once into a queue without end; here the socket is full in the end, and the "
      "server waits and catches up. Over TCP no frame is lost, so that only re-buffering changes the scale.",
      "The product has two layers in the place of scales: media shown is what its layers have in the mean. Its "
      "start-up counts from the answer that the video is there, Goddard's from its control connection; it has "
      "no packet pair, and plays when it can."};
  return outcome;
}

}  // namespace
}  // namespace goddard

const Experiment kGoddard = {.name = "goddard",
                             .title = "Goddard's streams and the product's stored video",
                             .source = "004 section 5.2.3",
                             .plan = goddard::plan,
                             .evaluate = goddard::evaluate};

}  // namespace qvid::lab
