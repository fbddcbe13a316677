// `--output-log`: what was shown and heard, and when (app/log/output_log.h).
#pragma once

#include <string>

#include "app/options/cli.h"

namespace qvid::app {

void add_output_log_option(CLI::App& command, std::string& path);

}  // namespace qvid::app
