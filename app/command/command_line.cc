#include "app/command/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "app/command/run_words.h"
#include "app/command/usage_error.h"
#include "app/log/log.h"
#include "app/pages/bash_completion.h"
#include "app/pages/command_table.h"
#include "app/pages/fish_completion.h"
#include "app/pages/man_page.h"
#include "app/pages/zsh_completion.h"

namespace qvid::app {

CommandLine::CommandLine(const std::string& version, RunWords run)
    : app("Qvid: video that stays interactive over TCP.\n\n"
          "  qvid                                  a window to join and start calls from\n"
          "  qvid sources                          what can be served here\n"
          "  qvid serve test                       serve a test scene\n"
          "  qvid play qvid://127.0.0.1:7400/live  watch it\n"
          "  qvid list qvid://HOST                 what a server has\n"
          "  qvid call --host                      a call of two; the other types what it prints\n"
          "  qvid prepare FILE                     encode a file once, for serving\n"
          "  qvid check qvid://HOST                what of the way to a server works\n"
          "  qvid mon FILE                         watch what a session measures",
          "qvid") {
  app.footer(
      "Exit codes: 0 done, 1 failed (no picture was shown, say), 2 wrong command line or input,\n"
      "3 no connection, 4 refused, or not a Qvid server. Logs go to stderr, reports to stdout.");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.fallthrough();
  app.failure_message(usage_error);
  app.add_flag("--json", common.json, "Print the report as JSON");
  app.add_flag("-v,--verbose", common.verbose, "Log more");
  app.add_flag("-q,--quiet", common.quiet, "Log warnings and errors only, and print no report");

  commands["serve"] = add_serve(app, common);
  commands["play"] = add_play(app, common);
  commands["list"] = add_list(app, common);
  commands["broker"] = add_broker(app, common);
  commands["call"] = add_call(app, common);
  commands["publish"] = add_publish(app, common);
  commands["watch"] = add_watch(app, common);
  commands["token"] = add_token(app, common);
  commands["admin"] = add_admin(app, common);
  commands["record"] = add_record(app, common);
  commands["sources"] = add_sources(app, common);
  commands["prepare"] = add_prepare(app, common);
  commands["check"] = add_check(app, common);
  commands["mon"] = add_mon(app, common);
  commands["capacity"] = add_capacity(app, common);
  commands[kStart] = add_start(app, common, std::move(run));
}

ExitCode run_words(std::vector<std::string> words, const std::string& version) {
  CommandLine line(version, [&version](const std::vector<std::string>& other) {
    return run_words(other, version);
  });
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    line.app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    const int code = line.app.exit(e);
    return code == 0 ? kExitOk : kExitUsage;
  }
  if (line.common.verbose) set_log_level(LogLevel::kDebug);
  if (line.common.quiet) set_log_level(LogLevel::kWarning);
  return line.commands.at(line.app.get_subcommands().front()->get_name())();
}

ExitCode write_pages(const std::string& folder, const std::string& version) {
  const CommandLine line(version, {});
  const std::filesystem::path to(folder);
  std::filesystem::create_directories(to / "man1");
  std::filesystem::create_directories(to / "completions");
  const std::string name = line.app.get_name();
  bool written = true;
  const auto write = [&](const std::filesystem::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    out << text << std::flush;
    if (!out) log_error("{} cannot be written", file.string());
    written = written && out;
  };
  ManPage page{.names = {name}, .version = "Qvid " + version};
  for (const CLI::App* one : shown_commands(line.app)) {
    const ManPage own{
        .names = {name, one->get_name()}, .version = page.version, .see = {name + "(1)"}};
    write(to / "man1" / (name + '-' + one->get_name() + ".1"), man_page(*one, own));
    page.see.push_back(name + '-' + one->get_name() + "(1)");
  }
  write(to / "man1" / (name + ".1"), man_page(line.app, page));
  write(to / "completions" / name, bash_completion(line.app));
  write(to / "completions" / (name + ".fish"), fish_completion(line.app));
  write(to / "completions" / ('_' + name), zsh_completion(line.app));
  return written ? kExitOk : kExitFailure;
}

}  // namespace qvid::app
