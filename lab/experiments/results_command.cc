#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "lab/experiments/experiment_command.h"
#include "lab/experiments/plot.h"
#include "lab/experiments/results_page.h"

namespace qvid::lab {
namespace {

namespace fs = std::filesystem;

struct ResultsOptions {
  std::string in = "build/lab";
  std::string page = "docs/results.md";
  std::string images = "docs/images/lab";
};

// Out of the outcome; where nothing draws here, the one that the experiment drew.
std::optional<Error> make_picture(const Plot& plot, const ResultsOptions& o,
                                  const std::string& missing) {
  const fs::path file = plot.name + ".png";
  if (missing.empty()) return draw(plot, o.images / file);
  std::error_code error;
  fs::copy_file(o.in / file, o.images / file, fs::copy_options::overwrite_existing, error);
  if (error) return Error{(o.in / file).string() + ": " + error.message() + "; " + missing};
  return std::nullopt;
}

int results(const ResultsOptions& o) {
  const fs::path page = o.page;
  const fs::path folder = page.parent_path().empty() ? fs::path(".") : page.parent_path();
  std::error_code error;
  for (const fs::path& wanted : {folder, fs::path(o.images)}) {
    fs::create_directories(wanted, error);
    if (!error) continue;
    spdlog::error("{}: {}", wanted.string(), error.message());
    return kExitLabFailed;
  }
  const OutcomeFolder found = read_outcomes(o.in, experiments());
  int code = 0;
  const auto complain = [&](const std::string& why) {
    spdlog::error("{}", why);
    code = kExitLabFailed;
  };
  for (const std::string& why : found.unreadable) complain(why);
  const std::string missing = missing_for_plots();
  for (const auto& [name, outcome] : found.outcomes) {
    for (const Plot& plot : outcome.plots) {
      if (const auto failed = make_picture(plot, o, missing)) complain(failed->message);
    }
  }
  const std::string images = fs::path(o.images).lexically_proximate(folder).generic_string() + "/";
  if (const auto failed = write_file(page, results_page(experiments(), found, images))) {
    complain(failed->message);
  } else {
    spdlog::info("{}: {} of {} experiments", o.page, found.outcomes.size(), experiments().size());
  }
  return code;
}

}  // namespace

Run add_results(CLI::App& lab, const CommonOptions& /*common*/) {
  const auto o = std::make_shared<ResultsOptions>();
  CLI::App* command =
      lab.add_subcommand("results", "Make the page of results out of what was measured");
  command->add_option("--in", o->in, "Folder that experiments wrote to")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--page", o->page, "The page")->type_name("FILE")->capture_default_str();
  command->add_option("--images", o->images, "Folder for its pictures")
      ->type_name("DIR")
      ->capture_default_str();
  return [o] { return results(*o); };
}

}  // namespace qvid::lab
