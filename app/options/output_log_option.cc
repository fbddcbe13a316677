#include "app/options/output_log_option.h"

#include <CLI/CLI.hpp>

namespace qvid::app {

void add_output_log_option(CLI::App& command, std::string& path) {
  command.add_option("--output-log", path,
                     "Write what is shown and heard, and when, to this file, as CSV: for "
                     "measurements (docs/lab.md)");
}

}  // namespace qvid::app
