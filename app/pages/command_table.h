// What pages are made of: the sub-commands and options that `--help` shows. Pure; pointers are as
// long-lived as the command.
#pragma once

#include <string>
#include <vector>

#include "app/options/cli.h"

namespace qvid::app {

std::vector<const CLI::App*> shown_commands(const CLI::App& command);
// Of all that are below it, after its own path: "qvid admin", "qvid admin kick".
std::vector<std::string> command_paths(const CLI::App& command, const std::string& path);
std::vector<const CLI::Option*> shown_options(const CLI::App& command);
// "-n", "--name"; of an argument without dashes none.
std::vector<std::string> option_names(const CLI::Option& option);
bool takes_value(const CLI::Option& option);
// Where one of a few is to be chosen: "h264", "av1". Else empty.
std::vector<std::string> option_values(const CLI::Option& option);

}  // namespace qvid::app
