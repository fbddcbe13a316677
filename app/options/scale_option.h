// `--scale`: how large everything in a window is.
#pragma once

#include "app/options/cli.h"

namespace qvid::app {

void add_scale_option(CLI::App& command, float& scale);

}  // namespace qvid::app
