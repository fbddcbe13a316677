// The token that a client shows to a broker.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"

namespace qvid::app {

// --token, or QVID_TOKEN of the environment.
void add_token_option(CLI::App& command, std::string& token);
// `token`: itself, or the file that holds it. Empty: none. The error says what to do.
Result<std::string> read_token(const std::string& token);

}  // namespace qvid::app
