#include "app/pages/command_table.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace qvid::app {

std::vector<const CLI::App*> shown_commands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

std::vector<std::string> command_paths(const CLI::App& command, const std::string& path) {
  std::vector<std::string> paths;
  for (const CLI::App* one : shown_commands(command)) {
    paths.push_back(path + ' ' + one->get_name());
    const auto below = command_paths(*one, paths.back());
    paths.insert(paths.end(), below.begin(), below.end());
  }
  return paths;
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  return command.get_options([](const CLI::Option* one) { return !one->get_group().empty(); });
}

std::vector<std::string> option_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<std::string> option_values(const CLI::Option& option) {
  // "TEXT:{h264,av1}" of a check, "on|off [on]" of a text of its own.
  const std::string& own = option.get_option_text();
  std::string text = own.empty() ? option.get_type_name() : own;
  const std::size_t open = text.find('{');
  const std::size_t close = text.find('}');
  if (open < close && close != std::string::npos) {
    text = text.substr(open + 1, close - open - 1);
    std::ranges::replace(text, ',', '|');
  } else {
    text.resize(std::min(text.find(' '), text.size()));
    if (text.find('|') == std::string::npos) return {};
  }
  std::vector<std::string> values;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('|', from), text.size());
    values.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return values;
}

}  // namespace qvid::app
