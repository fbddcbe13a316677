#include "app/pages/bash_completion.h"

#include <CLI/CLI.hpp>

#include "app/pages/command_table.h"

namespace qvid::app {
namespace {

// What may follow: a case of the words before ("qvid admin kick").
void write_words(std::string& script, const CLI::App& command, const std::string& path) {
  std::string words;
  for (const CLI::App* one : shown_commands(command)) words += ' ' + one->get_name();
  for (const CLI::Option* option : shown_options(command)) {
    for (const std::string& name : option_names(*option)) words += ' ' + name;
  }
  script += "    '" + path + "') words='" + words.substr(words.empty() ? 0 : 1) + "' ;;\n";
  for (const CLI::App* one : shown_commands(command)) {
    write_words(script, *one, path + ' ' + one->get_name());
  }
}

// What may stand for the value of an option: a case of the path and its name.
void write_values(std::string& script, const CLI::App& command, const std::string& path) {
  for (const CLI::Option* option : shown_options(command)) {
    const bool is_flag = !takes_value(*option);
    const auto values = option_values(*option);
    std::string cases;
    for (const std::string& name : option_names(*option)) {
      cases += (cases.empty() ? "'" : " | '") + path + ' ' + name + "'";
    }
    if (is_flag || cases.empty()) continue;
    std::string words;
    for (const std::string& value : values) words += (words.empty() ? "" : " ") + value;
    script += "    " + cases + ") values='" + words + "' ;;\n";
  }
  for (const CLI::App* one : shown_commands(command)) {
    write_values(script, *one, path + ' ' + one->get_name());
  }
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
  const std::string& name = program.get_name();
  std::string script = "# Made of what `" + name + " --help` is made of.\n_" + name + "() {\n" +
                       "  local cur=${COMP_WORDS[COMP_CWORD]} path='" + name +
                       "' words='' values=none word i\n"
                       "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
                       "    word=${COMP_WORDS[i]}\n"
                       "    case \"$path $word\" in\n";
  for (const std::string& path : command_paths(program, name)) {
    script += "      '" + path + "') path='" + path + "' ;;\n";
  }
  script +=
      "    esac\n"
      "  done\n"
      "  case \"$path ${COMP_WORDS[COMP_CWORD - 1]}\" in\n";
  write_values(script, program, name);
  script +=
      "  esac\n"
      "  case \"$path\" in\n";
  write_words(script, program, name);
  script +=
      "  esac\n"
      "  [[ $values == none ]] || words=$values\n"
      "  COMPREPLY=()\n"
      "  if [[ $values != none || $cur == -* || $words != -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
      "  fi\n"
      "}\n"
      "complete -o default -F _" +
      name + " " + name + "\n";
  return script;
}

}  // namespace qvid::app
