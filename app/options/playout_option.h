// `--playout`: when live pictures are shown (media/playout/playout_delay.h).
#pragma once

#include "app/options/cli.h"
#include "media/playout/playout_delay.h"

namespace qvid::app {

void add_playout_option(CLI::App& command, media::PlayoutMode& mode);

}  // namespace qvid::app
