#include "app/options/scale_option.h"

#include <CLI/CLI.hpp>

#include "ui/window/window_options.h"

namespace qvid::app {

void add_scale_option(CLI::App& command, float& scale) {
  command
      .add_option("--scale", scale,
                  "How large everything in the window is, 0.5 to 4; default: as the display's dots "
                  "an inch ask for")
      ->check(CLI::Range(ui::kLeastScale, ui::kMostScale));
}

}  // namespace qvid::app
