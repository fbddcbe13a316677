// What the experiments with sound do alike.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/bed/run_spec.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/papers/tables.h"
#include "lab/experiments/playing.h"

namespace qvid::lab {

// Seconds since the run's begin, as output logs have them: on the machine's clock.
inline TimeSpan on_the_clock(const RunResult& run, TimeSpan span) {
  const double begin = to_seconds(run.begin.time_since_epoch());
  return {begin + span.from, begin + span.to};
}

// The first of these that the report has: what is served and a room say it in places of their own.
inline double reported(const ReportNumbers& report, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const auto found = report.find(path);
    if (found != report.end()) return found->second;
  }
  return kNothingMeasured;
}
inline double reported_of_sound(const ReportNumbers& report, const std::string& what) {
  return reported(report, {"sound." + what, "sound.heard.0." + what});
}
inline double reported_frames_lost(const ReportNumbers& report) {
  return reported(report, {"frames_lost", "seen.0.frames_lost"});
}

// A run of one player, both ends of which log what is spoken and heard; `begin`: s, from when on it
// is measured. What is served, and how it is played, is left to say.
inline RunSpec sound_run(const std::string& name, std::string link, TestSound sound,
                         Duration length, double begin, const ExperimentOptions& options) {
  RunSpec run{.name = name, .link = std::move(link)};
  run.programs.sound = sound;
  run.programs.output_logs = true;
  run.programs.players = {{.group = name}};
  run.duration = length;
  run.warm_up = from_seconds(begin * options.stretch);
  run.seed = options.seed;
  return run;
}

// Null: it failed, or its player did.
inline const RunResult* played_run(std::span<const RunResult> results, std::string_view name) {
  const RunResult* run = run_named(results, name);
  return run && !run->players.empty() && run->players[0].error.empty() ? run : nullptr;
}

}  // namespace qvid::lab
