// What is said of a command line that is wrong: what is wrong, of which command, and where its help is.
#pragma once

#include <string>

#include "app/options/cli.h"

namespace qvid::app {

// For CLI::App::failure_message of the program. Names a word that is no sub-command or option even
// where CLI11 misses something else first. Two lines.
std::string usage_error(const CLI::App* qvid, const CLI::Error& error);

}  // namespace qvid::app
