#include "lab/experiments/papers/by_seed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace qvid::lab {

std::size_t seeds_of(const ExperimentOptions& options, std::size_t brief, std::size_t full) {
  if (options.seeds > 0) return options.seeds;
  return options.full ? full : brief;
}

void add_with_seeds(std::vector<RunSpec>& runs, const RunSpec& run, std::size_t seeds,
                    const ExperimentOptions& options) {
  for (std::size_t i = 0; i < seeds; ++i) {
    RunSpec& again = runs.emplace_back(run);
    again.seed = options.seed + i;
    again.link += fmt::format(" seed={}", again.seed);
    again.name = fmt::format("{}, seed={}", run.name, again.seed);
  }
}

std::vector<const RunResult*> of_all_seeds(std::span<const RunResult> results,
                                           std::string_view name) {
  return runs_named(results, fmt::format("{}, seed=", name));
}

void BySeed::add(std::uint64_t seed, double value) {
  if (std::isfinite(value)) values_.push_back({seed, value});
}

Cell BySeed::Value::seed_cell() const {
  if (!std::isfinite(value)) return {};
  return static_cast<double>(seed);
}

// Of an even number the mean of the two in the middle.
double BySeed::median() const {
  if (values_.empty()) return kNothingMeasured;
  std::vector<Value> sorted = values_;
  std::ranges::sort(sorted, {}, &Value::value);
  const std::size_t half = sorted.size() / 2;
  const double upper = sorted[half].value;
  return sorted.size() % 2 == 1 ? upper : (sorted[half - 1].value + upper) / 2;
}

BySeed::Value BySeed::least() const {
  const auto found = std::ranges::min_element(values_, {}, &Value::value);
  return found == values_.end() ? Value{0, kNothingMeasured} : *found;
}

BySeed::Value BySeed::greatest() const {
  const auto found = std::ranges::max_element(values_, {}, &Value::value);
  return found == values_.end() ? Value{0, kNothingMeasured} : *found;
}

std::string BySeed::text() const {
  std::string text;
  for (const Value& v : values_) {
    text += fmt::format("{}{}: {:.2f}", text.empty() ? "" : ", ", v.seed, v.value);
  }
  return text;
}

Series BySeed::marks(std::string name) const {
  Series series{.name = std::move(name), .points = {}, .style = Series::Style::kPoints};
  for (const Value& v : values_) series.points.emplace_back(static_cast<double>(v.seed), v.value);
  return series;
}

}  // namespace qvid::lab
