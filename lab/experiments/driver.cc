#include "lab/experiments/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>

#include "base/text.h"

namespace qvid::lab {
namespace {

// Of an emulator, 99 % of its packets: half of the shortest round trip that experiments have. What is
// later tells of the machine.
constexpr double kMostLateMs = 10;

RunResult failed_run(const RunSpec& spec, std::string why) {
  RunResult result;
  result.spec = spec;
  result.error = std::move(why);
  return result;
}

double late_ms(const RunResult& run) {
  return std::max(to_ms(run.link.up.lateness.percentile(0.99)),
                  to_ms(run.link.down.lateness.percentile(0.99)));
}

RunResult made_or_failed(const RunSpec& spec, const RunFunction& run, const std::stop_token& stop) {
  try {
    RunResult result = run(spec, stop);
    const double late = late_ms(result);
    if (result.error.empty() && late > kMostLateMs) {
      result.error = fmt::format(
          "its link was {:.1f} ms late (99%), at most {:g} may be: the machine was too busy for "
          "this run; fewer --jobs help",
          late, kMostLateMs);
    }
    return result;
  } catch (const std::exception& e) {
    return failed_run(spec, e.what());
  }
}

}  // namespace

std::size_t runs_at_once(std::span<const RunSpec> specs, std::size_t jobs) {
  return std::ranges::any_of(specs, &RunSpec::alone) ? 1 : std::max<std::size_t>(1, jobs);
}

std::vector<RunResult> make_runs(std::span<const RunSpec> specs, std::size_t jobs,
                                 const RunFunction& run, const RunListener& listener,
                                 const std::stop_token& stop) {
  std::vector<RunResult> results(specs.size());
  std::mutex mutex;  // guards `next` and the listener
  std::size_t next = 0;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (next < specs.size() && !stop.stop_requested()) {
      const std::size_t index = next++;
      listener(RunPhase::kBegins, index, nullptr);
      lock.unlock();
      results[index] = made_or_failed(specs[index], run, stop);
      lock.lock();
      listener(RunPhase::kEnds, index, &results[index]);
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t count = std::min(runs_at_once(specs, jobs), specs.size());
    threads.reserve(count);
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work);
  }
  for (std::size_t i = next; i < specs.size(); ++i) {
    results[i] = failed_run(specs[i], "it did not begin: all was stopped");
  }
  return results;
}

Outcome outcome_of_runs(const Experiment& experiment, const ExperimentOptions& options,
                        std::span<const RunResult> results, const Origin& origin) {
  Outcome outcome = experiment.evaluate(options, results);
  outcome.name = experiment.name;
  for (Table& table : outcome.tables) {
    for (std::vector<Cell>& row : table.rows) {
      for (Cell& cell : row) {
        const double* number = std::get_if<double>(&cell);
        if (number && !std::isfinite(*number)) cell = std::monostate{};
      }
    }
  }
  if (outcome.title.empty()) outcome.title = experiment.title;
  outcome.command = origin.command;
  outcome.commit = origin.commit;
  outcome.seconds = to_seconds(origin.took);
  for (const RunResult& run : results) {
    if (!run.error.empty()) {
      outcome.failed.push_back(run.spec.name + ": " + run.error);
      continue;
    }
    outcome.late_ms = std::max(outcome.late_ms, late_ms(run));
    for (const FlowResult& flow : run.flows) {
      if (flow.error.empty()) continue;
      outcome.failed.push_back(run.spec.name + ": a flow of " + flow.sender +
                               " ended early: " + flow.error);
    }
    for (const PlayerResult& player : run.players) {
      if (!player.error.empty()) outcome.failed.push_back(run.spec.name + ": " + player.error);
    }
  }
  return outcome;
}

Duration time_for(std::span<const Duration> waiting, std::span<const Duration> begun,
                  std::size_t jobs) {
  std::priority_queue<Duration, std::vector<Duration>, std::greater<>> free_at;
  Duration end{};
  const auto occupy_until = [&](Duration until) {
    free_at.push(until);
    end = std::max(end, until);
  };
  for (const Duration left : begun) occupy_until(std::max(left, Duration::zero()));
  while (free_at.size() < std::max<std::size_t>(1, jobs)) free_at.push(Duration::zero());
  for (const Duration length : waiting) {
    const Duration from = free_at.top();
    free_at.pop();
    occupy_until(from + length);
  }
  return end;
}

std::string commit_here() {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen("git describe --always --dirty=+ --abbrev=8 2>/dev/null", "re"), pclose);
  if (!pipe) return {};
  std::array<char, 128> line{};
  if (std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return {};
  std::string commit = line.data();
  if (commit.ends_with('\n')) commit.pop_back();
  return printable(commit);
}

}  // namespace qvid::lab
