#include "lab/experiments/results_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "lab/experiments/outcome_markdown.h"

namespace qvid::lab {
namespace {

constexpr std::string_view kIntro =
    "# Results\n\n"
    "What the experiments of the lab measured. Real TCP and UDP sockets of the kernel in two "
    "network\n"
    "namespaces, with an emulated link between them ([lab.md](lab.md)); columns and curves marked\n"
    "*paper* are published figures, which were not measured here.\n\n"
    "`./run lab all` measures, `./run lab results` makes this page out of what was measured. Each\n"
    "section names the command and the commit that made it.\n";

// The anchor that a heading gets where Markdown is shown on the web.
std::string anchor_of(std::string_view title) {
  std::string anchor;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '_' || byte >= 0x80) {
      anchor += static_cast<char>(byte < 0x80 ? std::tolower(byte) : c);
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

std::string link_to(std::string_view title) {
  return fmt::format("[{}](#{})", cell_text(title), anchor_of(title));
}

std::string summary_of(std::span<const Outcome* const> measured) {
  std::size_t all = 0;
  std::size_t met = 0;
  std::string rows;
  for (const Outcome* outcome : measured) {
    for (const Target& t : outcome->targets) {
      ++all;
      if (t.met()) ++met;
      rows += fmt::format("| {} | {} | {} {} | {} | {} |\n", link_to(outcome->title),
                          cell_text(t.what), t.at_least ? "≥" : "≤", number_text(t.wanted),
                          number_text(t.got), t.met() ? "met" : "**missed**");
    }
  }
  if (all == 0) return {};
  return fmt::format(
      "\n## Targets\n\n{} of {} met.\n\n"
      "| experiment | target | wanted | got | |\n| --- | --- | ---: | ---: | --- |\n{}",
      met, all, rows);
}

// An outcome's file; nothing and no error where there is none.
Result<std::optional<Outcome>> read_outcome(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory) return std::optional<Outcome>();
  if (error) return Error{path.string() + ": " + error.message()};
  if (size > kMostOutcomeBytes) return Error{path.string() + " is too large"};
  std::ifstream file(path, std::ios::binary);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_discarded()) return Error{path.string() + " is no JSON"};
  auto outcome = outcome_of(json);
  if (!outcome) return Error{path.string() + ": " + outcome.error().message};
  return std::optional<Outcome>(*std::move(outcome));
}

}  // namespace

OutcomeFolder read_outcomes(const std::filesystem::path& folder,
                            std::span<const Experiment> experiments) {
  OutcomeFolder result;
  for (const Experiment& experiment : experiments) {
    const std::string name(experiment.name);
    auto outcome = read_outcome(folder / (name + ".json"));
    if (!outcome) {
      result.unreadable.push_back(outcome.error().message);
    } else if (*outcome) {
      result.outcomes.emplace(name, **std::move(outcome));
    }
  }
  return result;
}

std::string results_page(std::span<const Experiment> experiments, const OutcomeFolder& folder,
                         std::string_view images) {
  std::vector<const Outcome*> measured;
  std::string contents = "\n## Experiments\n\n";
  for (const Experiment& e : experiments) {
    const auto found = folder.outcomes.find(e.name);
    if (found == folder.outcomes.end()) {
      contents +=
          fmt::format("- {}: not measured yet (`./run lab {}`)\n", cell_text(e.title), e.name);
      continue;
    }
    measured.push_back(&found->second);
    contents += fmt::format("- {}: {}\n", link_to(found->second.title), cell_text(e.source));
  }
  std::string page = std::string(kIntro) + summary_of(measured) + contents;
  for (const Outcome* outcome : measured) page += "\n" + markdown_of(*outcome, images);
  return page;
}

std::optional<Error> write_file(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path unfinished = path;
  unfinished += ".unfinished";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(unfinished, path, error);
  if (file && !error) return std::nullopt;
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  return Error{path.string() + " cannot be written" + (error ? ": " + error.message() : "")};
}

}  // namespace qvid::lab
