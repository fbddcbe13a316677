// How a line of the log looks: "12:34:56.789 info text".
#pragma once

#include <spdlog/formatter.h>

#include <memory>

namespace qvid::app {

// What peers say may be in it, whoever logs it: without what would move a terminal's cursor or forge
// another line.
std::unique_ptr<spdlog::formatter> log_format();

}  // namespace qvid::app
