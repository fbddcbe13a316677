// The command line as zsh completes it: sub-commands and options with what they do, values to choose
// from, else files. Made of what `--help` is made of. Pure.
#pragma once

#include <string>

#include "app/options/cli.h"

namespace qvid::app {

// Of a program of this name with its sub-commands, and theirs.
std::string zsh_completion(const CLI::App& program);

}  // namespace qvid::app
