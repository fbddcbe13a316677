// docs/results.md: all experiments on one page, out of their outcomes.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/experiment.h"
#include "lab/experiments/outcome.h"

namespace qvid::lab {

struct OutcomeFolder {
  std::map<std::string, Outcome, std::less<>> outcomes;  // by experiment; missing: not measured yet
  std::vector<std::string> unreadable;                   // each a sentence
};

inline constexpr std::uintmax_t kMostOutcomeBytes = 64 << 20;

// Reads NAME.json of each experiment, where there is one.
OutcomeFolder read_outcomes(const std::filesystem::path& folder,
                            std::span<const Experiment> experiments);

// In the order of `experiments`. `images` as for markdown_of.
std::string results_page(std::span<const Experiment> experiments, const OutcomeFolder& folder,
                         std::string_view images);

// The error says what of it failed. The file is replaced in one step.
std::optional<Error> write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace qvid::lab
