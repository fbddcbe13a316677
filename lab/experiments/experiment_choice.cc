#include "lab/experiments/experiment_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string_view>

#include "base/text.h"
#include "lab/experiments/driver.h"
#include "lab/experiments/progress.h"

namespace qvid::lab {
namespace {

// Letters to insert, to remove or to replace (Levenshtein).
std::size_t changes_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

Error unknown(std::span<const Experiment> experiments, std::string_view name) {
  name = name.substr(0, 64);
  std::string text = fmt::format("there is no experiment '{}'", printable(std::string(name)));
  if (experiments.empty()) return {text + ": there are none yet"};
  std::string all;
  const Experiment* nearest = &experiments.front();
  for (const Experiment& e : experiments) {
    all.append(all.empty() ? "" : ", ").append(e.name);
    if (changes_between(name, e.name) < changes_between(name, nearest->name)) nearest = &e;
  }
  if (changes_between(name, nearest->name) <= nearest->name.size() / 2) {
    return {fmt::format("{}; did you mean {}? There are all, {}", text, nearest->name, all)};
  }
  return {text + ". There are all, " + all};
}

// "16 flows, pace": 16, flows, pace.
std::set<std::string> words_of(std::string_view text) {
  constexpr std::string_view kBetween = ", ";
  std::set<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kBetween), text.size());
    if (end > 0) words.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool has_any(const std::set<std::string>& words, const std::set<std::string>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const std::string& word) { return words.contains(word); });
}

}  // namespace

Result<std::vector<RunSpec>> chosen_plan(const Experiment& experiment,
                                         const ExperimentOptions& options) {
  std::vector<RunSpec> plan = experiment.plan(options);
  std::set<std::string> all;
  for (const RunSpec& run : plan) all.merge(words_of(run.name));
  for (const std::string& only : options.only) {
    const std::set<std::string> wanted = words_of(only);
    std::erase_if(plan, [&](const RunSpec& run) { return !has_any(words_of(run.name), wanted); });
  }
  if (!plan.empty()) return plan;
  return Error{fmt::format("no run of {} is left by --only; words of its runs are {}",
                           experiment.name, fmt::join(all, ", "))};
}

Result<std::vector<const Experiment*>> choose(std::span<const Experiment> experiments,
                                              const std::vector<std::string>& names) {
  std::vector<const Experiment*> chosen;
  const auto add = [&](const Experiment& e) {
    if (std::find(chosen.begin(), chosen.end(), &e) == chosen.end()) chosen.push_back(&e);
  };
  for (const std::string& name : names) {
    if (name == "all") {
      for (const Experiment& e : experiments) add(e);
      continue;
    }
    const auto found = std::find_if(experiments.begin(), experiments.end(),
                                    [&](const Experiment& e) { return e.name == name; });
    if (found == experiments.end()) return unknown(experiments, name);
    add(*found);
  }
  return chosen;
}

Duration planned_time(const Experiment& experiment, const ExperimentOptions& options,
                      std::size_t jobs) {
  std::vector<Duration> lengths;
  const std::vector<RunSpec> plan = experiment.plan(options);
  for (const RunSpec& spec : plan) lengths.push_back(spec.duration);
  return time_for(lengths, {}, runs_at_once(plan, jobs));
}

std::string list_of(std::span<const Experiment> experiments, const ExperimentOptions& options,
                    std::size_t jobs) {
  std::string text;
  for (const Experiment& e : experiments) {
    text += fmt::format("{:<20} {:>7}  {}\n{:<20} {:>7}  {}\n", e.name,
                        time_text(planned_time(e, options, jobs)), e.title, "", "", e.source);
  }
  return text;
}

nlohmann::json json_list_of(std::span<const Experiment> experiments,
                            const ExperimentOptions& options, std::size_t jobs) {
  nlohmann::json list = nlohmann::json::array();
  for (const Experiment& e : experiments) {
    list.push_back({{"name", e.name},
                    {"title", e.title},
                    {"source", e.source},
                    {"seconds", to_seconds(planned_time(e, options, jobs))}});
  }
  return list;
}

}  // namespace qvid::lab
