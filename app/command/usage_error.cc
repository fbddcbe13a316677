#include "app/command/usage_error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "base/text.h"

namespace qvid::app {
namespace {

bool is_option(const std::string& word) { return word.starts_with('-'); }

// What nobody takes; an option of it before the words, which may have been its value.
std::string what_is_unknown(const std::vector<std::string>& words, const CLI::App& command) {
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  if (option != words.end()) return "there is no option " + in_quotes(*option);
  if (!command.get_subcommands([](const CLI::App*) { return true; }).empty()) {
    return "there is no sub-command " + in_quotes(words.front());
  }
  return in_quotes(words.front()) + " is one word too many";
}

}  // namespace

std::string usage_error(const CLI::App* qvid, const CLI::Error& error) {
  const CLI::App* command = qvid;
  std::string name = qvid->get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().back();
    name += ' ' + command->get_name();
  }
  std::string what = error.what();
  const std::vector<std::string> unknown = qvid->remaining(true);
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  const bool misses = code == CLI::ExitCodes::RequiredError || code == CLI::ExitCodes::ExtrasError;
  if (misses && !unknown.empty()) what = what_is_unknown(unknown, *command);
  return name + ": " + what + "\n`" + name + " --help` tells what can be written.\n";
}

}  // namespace qvid::app
