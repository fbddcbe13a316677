// What was counted before a connection was lost goes on counting.
#pragma once

#include "media/playout/playback_stats.h"

namespace qvid::app {

// The time between the last picture then and the first one now is a gap.
void add_earlier(media::PlaybackStats& now, const media::PlaybackStats& earlier);

}  // namespace qvid::app
