#include "lab/experiments/experiment_command.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "lab/bed/bed.h"
#include "lab/emulator/emulator.h"
#include "lab/emulator/link_spec.h"
#include "lab/emulator/stop_on_signal.h"
#include "lab/experiments/driver.h"
#include "lab/experiments/experiment_choice.h"
#include "lab/experiments/outcome_markdown.h"
#include "lab/experiments/plot.h"
#include "lab/experiments/progress.h"
#include "lab/experiments/results_page.h"
#include "lab/load/broker_trial.h"
#include "lab/load/cluster_trial.h"

namespace qvid::lab {
namespace {

constexpr int kExitRunFailed = 1;
constexpr int kExitStopped = 130;
constexpr std::size_t kMostJobs = 64;
constexpr std::size_t kMostSeeds = 1000;

struct Options {
  std::vector<std::string> names;
  ExperimentOptions experiment;
  std::size_t jobs = 2;
  std::string out = "build/lab";
  bool no_plots = false;
};

// What a person would type for it; the jobs too, since runs at the same time share the machine.
std::string command_of(const Experiment& experiment, const Options& o) {
  const Options usual;
  std::string text = fmt::format("./run lab {}", experiment.name);
  if (o.experiment.full) text += " --full";
  if (o.experiment.stretch != usual.experiment.stretch) {
    text += fmt::format(" --stretch {}", o.experiment.stretch);
  }
  if (o.experiment.seed != usual.experiment.seed) {
    text += fmt::format(" --seed {}", o.experiment.seed);
  }
  if (o.experiment.seeds > 0) text += fmt::format(" --seeds {}", o.experiment.seeds);
  for (const std::string& only : o.experiment.only) text += fmt::format(" --only {}", only);
  const bool at_once = runs_at_once(experiment.plan(o.experiment), o.jobs) > 1;
  if (at_once && o.jobs != usual.jobs) text += fmt::format(" --jobs {}", o.jobs);
  return text;
}

std::string json_text(const nlohmann::json& json) {
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

RunResult make_run(const RunSpec& spec, const std::stop_token& stop) {
  if (spec.cluster) return try_cluster(spec, stop);
  return spec.trial ? try_broker(spec, stop) : run_on_bed(spec, stop);
}

// Measures what was chosen, one experiment after the other.
class Measurement {
 public:
  Measurement(const Options& options, const CommonOptions& common,
              std::vector<const Experiment*> chosen, std::vector<std::vector<RunSpec>> plans)
      : options_(options),
        common_(common),
        chosen_(std::move(chosen)),
        plans_(std::move(plans)),
        commit_(commit_here()) {
    std::vector<RunSpec> all;
    for (const auto& plan : plans_) all.insert(all.end(), plan.begin(), plan.end());
    display_.emplace(
        Progress(std::move(all), options.jobs),
        common.quiet ? ProgressDisplay::Mode::kNone : ProgressDisplay::mode_of_stderr());
    if (options_.no_plots) return;
    const std::string missing = missing_for_plots();
    draws_ = missing.empty();
    if (!draws_) spdlog::warn("{}. Until then 'qvid-lab results' can be tried again", missing);
  }

  // The exit code.
  int run() {
    StopOnSignal signals([this] { display_->refresh(); });
    nlohmann::json found = nlohmann::json::array();
    int code = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const Outcome outcome = measure(i, first, signals.token());
      first += plans_[i].size();
      if (signals.token().stop_requested()) {
        display_->clear();
        spdlog::warn("stopped: nothing of {} was written", chosen_[i]->name);
        return kExitStopped;
      }
      display_->clear();
      if (!outcome.failed.empty() && code == 0) code = kExitRunFailed;
      if (!write(outcome)) code = kExitLabFailed;
      report(outcome);
      if (common_.json) found.push_back(json_of(outcome));
    }
    if (common_.json) fmt::print("{}", json_text(found.size() == 1 ? found[0] : found));
    return code;
  }

 private:
  Outcome measure(std::size_t number, std::size_t first_run, const std::stop_token& stop) {
    const Timestamp begin = steady_now();
    const auto listen = [&](RunPhase phase, std::size_t index, const RunResult* result) {
      if (phase == RunPhase::kBegins) return display_->begin(first_run + index);
      display_->end(first_run + index);
      if (result->error.empty() || stop.stop_requested()) return;
      display_->clear();
      spdlog::error("{}: {}", result->spec.name, result->error);
    };
    const auto results = make_runs(plans_[number], options_.jobs, make_run, listen, stop);
    if (stop.stop_requested()) return {};
    const Experiment& experiment = *chosen_[number];
    return outcome_of_runs(experiment, options_.experiment, results,
                           {.command = command_of(experiment, options_),
                            .commit = commit_,
                            .took = steady_now() - begin});
  }

  std::filesystem::path file(const std::string& name) const {
    return std::filesystem::path(options_.out) / name;
  }

  bool write(const Outcome& outcome) const {
    bool good = true;
    const auto check = [&](const std::optional<Error>& error) {
      if (error) spdlog::error("{}", error->message);
      good = good && !error;
    };
    check(write_file(file(outcome.name + ".json"), json_text(json_of(outcome))));
    check(write_file(file(outcome.name + ".md"), markdown_of(outcome, "")));
    if (!draws_) return good;
    for (const Plot& plot : outcome.plots) check(draw(plot, file(plot.name + ".png")));
    return good;
  }

  void report(const Outcome& outcome) const {
    std::size_t met = 0;
    for (const Target& t : outcome.targets) {
      if (t.met()) {
        ++met;
        continue;
      }
      spdlog::info("{}: missed: {}: {}, wanted {} {}", outcome.name, t.what, number_text(t.got),
                   t.at_least ? "at least" : "at most", number_text(t.wanted));
    }
    spdlog::info("{}: {} of {} targets met; {} runs failed; {:.0f} s: {}", outcome.name, met,
                 outcome.targets.size(), outcome.failed.size(), outcome.seconds,
                 file(outcome.name + ".md").string());
  }

  const Options& options_;
  const CommonOptions& common_;
  std::vector<const Experiment*> chosen_;
  std::vector<std::vector<RunSpec>> plans_;  // of each of chosen_
  std::string commit_;
  std::optional<ProgressDisplay> display_;
  bool draws_ = false;
};

int list(const Options& o, const CommonOptions& common) {
  if (common.json) {
    fmt::print("{}", json_text(json_list_of(experiments(), o.experiment, o.jobs)));
  } else if (experiments().empty()) {
    fmt::print("There are no experiments yet.\n");
  } else {
    fmt::print("{}", list_of(experiments(), o.experiment, o.jobs));
  }
  return 0;
}

int experiment(const Options& o, const CommonOptions& common) {
  if (o.names.empty() || o.names == std::vector<std::string>{"list"}) return list(o, common);
  auto chosen = choose(experiments(), o.names);
  if (!chosen) {
    spdlog::error("{}", chosen.error().message);
    return kExitUsage;
  }
  std::vector<std::vector<RunSpec>> plans;
  for (const Experiment* e : *chosen) {
    auto plan = chosen_plan(*e, o.experiment);
    if (!plan) {
      spdlog::error("{}", plan.error().message);
      return kExitUsage;
    }
    plans.push_back(*std::move(plan));
  }
  if (const std::string missing = missing_for_emulator(); !missing.empty()) {
    spdlog::error(
        "{}. Without it still run: qvid-lab simulate (senders in virtual time) and qvid-lab "
        "results (the page of what was measured before)",
        missing);
    return kExitLabFailed;
  }
  std::error_code error;
  std::filesystem::create_directories(o.out, error);
  if (error) {
    spdlog::error("{}: {}", o.out, error.message());
    return kExitLabFailed;
  }
  return Measurement(o, common, *std::move(chosen), std::move(plans)).run();
}

}  // namespace

Run add_experiment(CLI::App& lab, const CommonOptions& common) {
  const auto o = std::make_shared<Options>();
  CLI::App* command = lab.add_subcommand(
      "experiment", "Measure on emulated links what the papers measured, beside their figures");
  command->add_option("names", o->names, "Experiments, or all; none: list them")->type_name("NAME");
  command->add_flag("--full", o->experiment.full, "The papers' durations, not the short ones");
  command->add_option("--stretch", o->experiment.stretch, "Factor on the short durations")
      ->check(CLI::Range(0.01, 1000.0))
      ->capture_default_str();
  command->add_option("--seed", o->experiment.seed, "Of links, workloads and starts")
      ->check(CLI::Range(std::uint64_t{0}, kMostSeed))
      ->capture_default_str();
  command
      ->add_option("--seeds", o->experiment.seeds,
                   "Of experiments that repeat their runs: how many seeds, from --seed on; without "
                   "it one, with --full 10 or 20")
      ->check(CLI::Range(std::size_t{1}, kMostSeeds));
  command
      ->add_option("--only", o->experiment.only,
                   "Of the runs, those whose names have one of these words, as S1,S4; given again, "
                   "one of these too")
      ->type_name("WORDS")
      ->allow_extra_args(false);
  command->add_option("--jobs", o->jobs, "Runs at the same time, each on its own link")
      ->check(CLI::Range(std::size_t{1}, kMostJobs))
      ->capture_default_str();
  command->add_option("--out", o->out, "Folder of NAME.json, NAME.md and the pictures")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_flag("--no-plots", o->no_plots, "Draw no pictures");
  command->footer("--json prints the outcome to stdout; of several, an array of them.");
  return [o, &common] { return experiment(*o, common); };
}

}  // namespace qvid::lab
