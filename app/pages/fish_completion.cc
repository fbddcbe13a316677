#include "app/pages/fish_completion.h"

#include <CLI/CLI.hpp>

#include "app/pages/command_table.h"

namespace qvid::app {
namespace {

std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '\'';
}

void fish_option(std::string& script, const CLI::Option& option) {
  for (const std::string& name : option_names(option)) {
    script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  const auto values = option_values(option);
  if (takes_value(option)) script += values.empty() ? " -r -F" : " -x";
  std::string words;
  for (const std::string& value : values) words += (words.empty() ? "" : " ") + value;
  if (!values.empty()) script += " -a " + fish_quoted(words);
  script += " -d " + fish_quoted(option.get_description()) + '\n';
}

// What may follow a path; files only where no sub-command has to.
void fish_command(std::string& script, const CLI::App& command, const std::string& name,
                  const std::string& path) {
  const std::string start = "complete -c " + name + " -n '__" + name + "_at " + path + '\'';
  for (const CLI::App* one : shown_commands(command)) {
    script +=
        start + " -f -a " + one->get_name() + " -d " + fish_quoted(one->get_description()) + '\n';
  }
  for (const CLI::Option* option : shown_options(command)) {
    if (option_names(*option).empty()) continue;
    script += start;
    fish_option(script, *option);
  }
  for (const CLI::App* one : shown_commands(command)) {
    fish_command(script, *one, name, path + ' ' + one->get_name());
  }
}

}  // namespace

std::string fish_completion(const CLI::App& program) {
  const std::string& name = program.get_name();
  std::string script = "# Made of what `" + name + " --help` is made of.\nfunction __" + name +
                       "_at\n"
                       "    set -l at " +
                       name +
                       "\n"
                       "    for word in (commandline -opc)[2..]\n"
                       "        switch \"$at $word\"\n"
                       "            case";
  for (const std::string& path : command_paths(program, name)) script += ' ' + fish_quoted(path);
  script +=
      "\n"
      "                set at \"$at $word\"\n"
      "        end\n"
      "    end\n"
      "    test \"$at\" = \"$argv\"\n"
      "end\n";
  fish_command(script, program, name, name);
  return script;
}

}  // namespace qvid::app
