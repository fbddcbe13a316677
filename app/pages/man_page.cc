#include "app/pages/man_page.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "app/pages/command_table.h"

namespace qvid::app {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// "-n, --name TEXT": as it is typed.
std::string option_head(const CLI::Option& option) {
  if (option.get_positional()) return "\\fI" + roff_text(option.get_name()) + "\\fR";
  std::string text;
  for (const std::string& name : option_names(option)) {
    text += (text.empty() ? "" : ", ") + ("\\fB" + roff_text(name) + "\\fR");
  }
  if (!takes_value(option)) return text;
  const std::vector<std::string> values = option_values(option);
  const std::string value = values.empty() ? option.get_type_name() : joined(values, "|");
  return text + " \\fI" + roff_text(value) + "\\fR";
}

void write_option(std::string& page, const CLI::Option& option) {
  page += ".TP\n" + option_head(option) + "\n" + roff_text(option.get_description());
  if (!option.get_default_str().empty() && takes_value(option)) {
    page += ".\nDefault: " + roff_text(option.get_default_str());
  }
  if (!option.get_envname().empty()) {
    page += ".\nEnvironment: \\fB" + roff_text(option.get_envname()) + "\\fR";
  }
  page += "\n";
}

void write_options(std::string& page, const CLI::App& command) {
  std::vector<std::string> groups;
  for (const CLI::Option* option : shown_options(command)) {
    const std::string group = option->get_positional() ? "Arguments" : option->get_group();
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  }
  // Arguments first, as they are typed.
  std::ranges::stable_sort(groups, std::ranges::greater(),
                           [](const std::string& group) { return group == "Arguments"; });
  for (const std::string& group : groups) {
    page += ".SH " + roff_text(upper(group)) + "\n";
    for (const CLI::Option* option : shown_options(command)) {
      const bool here = (option->get_positional() ? "Arguments" : option->get_group()) == group;
      if (here) write_option(page, *option);
    }
  }
}

void write_commands(std::string& page, const CLI::App& command,
                    const std::vector<std::string>& names) {
  const auto commands = shown_commands(command);
  if (commands.empty()) return;
  page += ".SH COMMANDS\n";
  const bool have_pages = names.size() == 1;
  for (const CLI::App* one : commands) {
    page += ".TP\n\\fB" + roff_text(one->get_name()) + "\\fR\n" +
            roff_text(one->get_description()) + "\n";
    if (have_pages) continue;
    for (const CLI::Option* option : shown_options(*one)) {
      if (option->get_name() == "--help") continue;
      page += ".RS\n";
      write_option(page, *option);
      page += ".RE\n";
    }
  }
}

}  // namespace

std::string roff_text(const std::string& text) {
  std::string roff;
  bool begins = true;  // a line, where a dot or a quote would be a request
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) roff += "\\&";
    begins = c == '\n';
    switch (c) {
      case '\\': roff += "\\e"; break;
      case '-': roff += "\\-"; break;
      case '`': roff += "\\`"; break;
      case '~': roff += "\\(ti"; break;
      case '^': roff += "\\(ha"; break;
      default: roff += c;
    }
  }
  return roff;
}

std::string man_page(const CLI::App& command, const ManPage& page) {
  const std::string spoken = joined(page.names, " ");
  const std::string description = command.get_description();
  const std::size_t line = std::min(description.find('\n'), description.size());
  std::string summary = description.substr(0, line);
  if (summary.ends_with('.')) summary.pop_back();
  std::string text = ".\\\" Made of what --help is made of.\n";
  text += ".TH " + upper(joined(page.names, "-")) + " 1 \"\" \"" + page.version + "\"\n";
  text += ".SH NAME\n" + roff_text(joined(page.names, "-")) + " \\- " + roff_text(summary) + "\n";
  text += ".SH SYNOPSIS\n\\fB" + roff_text(spoken) + "\\fR [\\fIoptions\\fR]";
  for (const CLI::Option* option : shown_options(command)) {
    if (!option->get_positional()) continue;
    const std::string name = "\\fI" + roff_text(option->get_name()) + "\\fR";
    text += ' ' + (option->get_required() ? name : '[' + name + ']');
  }
  if (!shown_commands(command).empty()) text += " \\fIcommand\\fR";
  text += "\n";
  if (line < description.size()) {
    const std::size_t more = description.find_first_not_of('\n', line);
    text += ".SH DESCRIPTION\n.nf\n" + roff_text(description.substr(more)) + "\n.fi\n";
  }
  write_commands(text, command, page.names);
  write_options(text, command);
  if (!command.get_footer().empty()) {
    text += ".SH NOTES\n.nf\n" + roff_text(command.get_footer()) + "\n.fi\n";
  }
  if (!page.see.empty()) text += ".SH SEE ALSO\n" + roff_text(joined(page.see, ", ")) + "\n";
  return text;
}

}  // namespace qvid::app
