// The whole command line of `qvid`: its options and sub-commands, for who parses it and for who
// writes about it.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "app/command/commands.h"

namespace qvid::app {

struct CommandLine {
  // `run`: another command line of this program.
  CommandLine(const std::string& version, RunWords run);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  CLI::App app;
  CommonOptions common{};
  std::map<std::string, Run> commands{};  // by name
};

}  // namespace qvid::app
