// The whole command line of `qvid`: its options and sub-commands, for who parses it and for who
// writes about it.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "app/command/commands.h"

namespace qvid::app {

inline constexpr const char* kStart = "start";

struct CommandLine {
  // `run`: another command line of this program.
  CommandLine(const std::string& version, RunWords run);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  CLI::App app;
  CommonOptions common{};
  std::map<std::string, Run> commands{};  // by name
};

// No command of a person's: `qvid --write-pages FOLDER` writes what a package has of it: FOLDER/man1/
// (a page a sub-command) and FOLDER/completions/: qvid for bash, qvid.fish, _qvid for zsh.
inline constexpr const char* kWritePages = "--write-pages";
ExitCode write_pages(const std::string& folder, const std::string& version);

}  // namespace qvid::app
