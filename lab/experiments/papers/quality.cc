// Article figure 7: three videos on three streams of one session keep the same frame rate, though
// their rates differ, while the network changes.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace quality {
namespace {

constexpr std::size_t kStreams = 3;
struct Kind {
  const char* name;
  bool quality;
};
constexpr std::array<Kind, 2> kKinds = {{{"by frames", true}, {"by bytes", false}}};

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Kind& kind : kKinds) {
    RunSpec run{.name = kind.name,
                .link =
                    "rate=2mbit rate@20s=400kbit rate@40s=250kbit rate@60s=1mbit delay=15ms "
                    "queue=15kB"};
    run.flows = {{.sender = "pace+fo",
                  .rate = DataRate::from_kbps(4000),
                  .window = 500ms,
                  .streams = kStreams,
                  .quality_fairness = kind.quality}};
    run.duration = 80s;  // the steps are at their times, however much time there is
    run.warm_up = 4s;
    run.seed = options.seed;
    runs.push_back(std::move(run));
  }
  return runs;
}

const VideoResult& video_of(const FlowResult& flow, std::size_t stream) {
  static const VideoResult kNone;
  if (stream == 0) return flow.video;
  return stream <= flow.others.size() ? flow.others[stream - 1] : kNone;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "One session with three streams, videos of 4, 2 and 1 Mbit/s (bases of 250, 125 and 62 "
      "kbit/s), "
      "over a link of 2, 0.4, 0.25 and 1 Mbit/s, 20 s each; 30 ms of round trip, drop-tail of 15 "
      "kB; a "
      "frame's window is 500 ms. The streams' virtual time counts frames, or bytes.";
  Table table{.title = "Three streams of unequal rates",
              .source = "002 figure 7",
              .columns = {{.name = "fairness"},
                          {.name = "stream"},
                          {.name = "frames shown a second", .decimals = 1},
                          {.name = "layers", .decimals = 1},
                          {.name = "kbit/s that arrived"}},
              .rows = {}};
  Plot plot{
      .name = "quality", .title = "Three videos on three streams of one session", .panels = {}};
  for (const Kind& kind : kKinds) {
    const RunResult* run = run_named(results, kind.name);
    Panel panel{.title = fmt::format("Shared {}", kind.name),
                .x_label = "s",
                .y_label = "frames shown a second",
                .y_range = {{0, 32}},
                .series = {}};
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      std::vector<Cell> row = {std::string(kind.name), fmt::format("{} Mbit/s", 4 >> stream)};
      if (run) {
        const VideoResult& video = video_of(run->flows[0], stream);
        const double frames = static_cast<double>(std::max<std::uint64_t>(1, video.frames));
        const double shown = static_cast<double>(video.shown);
        row.emplace_back(30 * shown / frames);
        row.emplace_back(shown > 0 ? static_cast<double>(video.layers) / shown : 0.0);
        row.emplace_back(8e-3 * static_cast<double>(video.delivered) / to_seconds(run->measured));
        Series series{.name = fmt::format("{} Mbit/s", 4 >> stream), .points = {}};
        for (std::size_t s = 0; s < video.shown_each_second.size(); ++s) {
          series.points.emplace_back(static_cast<double>(s), video.shown_each_second[s]);
        }
        panel.series.push_back(std::move(series));
      }
      row.resize(table.columns.size());
      table.rows.push_back(std::move(row));
    }
    plot.panels.push_back(std::move(panel));
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back(std::move(plot));
  outcome.notes = {
      "The article's figure 7 is not published as numbers; its text: the videos display with "
      "identical "
      "frame rates, which change with the network, while they take different bandwidth."};
  return outcome;
}

}  // namespace
}  // namespace quality

const Experiment kQuality = {.name = "quality",
                             .title = "Equal quality across streams",
                             .source = "002 figure 7",
                             .plan = quality::plan,
                             .evaluate = quality::evaluate};

}  // namespace qvid::lab
