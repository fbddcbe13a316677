#include "app/pages/zsh_completion.h"

#include <CLI/CLI.hpp>

#include "app/pages/command_table.h"

namespace qvid::app {
namespace {

std::string zsh_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c == '\n' ? ' ' : c;
    }
  }
  return quoted + '\'';
}

// What stands for an option's value: one of a few, else a file.
void zsh_values(std::string& script, const CLI::App& command, const std::string& path) {
  for (const CLI::Option* option : shown_options(command)) {
    std::string cases;
    for (const std::string& name : option_names(*option)) {
      cases += (cases.empty() ? "'" : " | '") + path + ' ' + name + '\'';
    }
    if (!takes_value(*option) || cases.empty()) continue;
    std::string action = "_files";
    const auto values = option_values(*option);
    if (!values.empty()) action = "compadd --";
    for (const std::string& value : values) action += ' ' + zsh_quoted(value);
    script += "    " + cases + ") " + action + "; return ;;\n";
  }
  for (const CLI::App* one : shown_commands(command)) {
    zsh_values(script, *one, path + ' ' + one->get_name());
  }
}

// What may follow a path, each with what it does.
void zsh_words(std::string& script, const CLI::App& command, const std::string& path) {
  script += "    " + zsh_quoted(path) + ")\n      commands=(";
  for (const CLI::App* one : shown_commands(command)) {
    script += ' ' + zsh_quoted(one->get_name() + ':' + one->get_description());
  }
  script += ")\n      options=(";
  for (const CLI::Option* option : shown_options(command)) {
    for (const std::string& name : option_names(*option)) {
      script += ' ' + zsh_quoted(name + ':' + option->get_description());
    }
  }
  script += ") ;;\n";
  for (const CLI::App* one : shown_commands(command)) {
    zsh_words(script, *one, path + ' ' + one->get_name());
  }
}

}  // namespace

std::string zsh_completion(const CLI::App& program) {
  const std::string& name = program.get_name();
  std::string script = "#compdef " + name + "\n# Made of what `" + name +
                       " --help` is made of.\n"
                       "local at=" +
                       name +
                       " word\n"
                       "local -a commands options\n"
                       "for word in \"${(@)words[2,CURRENT-1]}\"; do\n"
                       "    case \"$at $word\" in\n";
  for (const std::string& path : command_paths(program, name)) {
    script += "    '" + path + "') at='" + path + "' ;;\n";
  }
  script +=
      "    esac\n"
      "done\n"
      "case \"$at ${words[CURRENT-1]}\" in\n";
  zsh_values(script, program, name);
  script +=
      "esac\n"
      "case $at in\n";
  zsh_words(script, program, name);
  script +=
      "esac\n"
      "if [[ $PREFIX == -* ]]; then\n"
      "  _describe -o option options\n"
      "elif (($#commands)); then\n"
      "  _describe command commands\n"
      "else\n"
      "  _files\n"
      "fi\n";
  return script;
}

}  // namespace qvid::app
