// The token that a client shows to a broker.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "pubsub/client/client_token.h"

namespace qvid::app {

// --token, or QVID_TOKEN of the environment.
void add_token_option(CLI::App& command, std::string& token);
using qps::read_token;

}  // namespace qvid::app
