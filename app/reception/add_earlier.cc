#include "app/reception/add_earlier.h"

#include <algorithm>

namespace qvid::app {

void add_earlier(media::PlaybackStats& now, const media::PlaybackStats& earlier) {
  now.frames_lost += earlier.frames_lost;
  now.shown_full += earlier.shown_full;
  now.frames_due += earlier.frames_due;
  now.units_announced += earlier.units_announced;
  now.units_received += earlier.units_received;
  now.decode_errors += earlier.decode_errors;
  now.bad_messages += earlier.bad_messages;
  now.receiving += earlier.receiving;
  now.bytes_received += earlier.bytes_received;
  now.freezes += earlier.freezes;
  now.intervals += earlier.intervals;
  now.bases_due += earlier.bases_due;
  now.bases_late += earlier.bases_late;
  now.clock_steps += earlier.clock_steps;
  now.longest_gap = std::max(now.longest_gap, earlier.longest_gap);
  now.delays.add(earlier.delays);
  now.sync_errors.add(earlier.sync_errors);
  if (!now.sync_error) now.sync_error = earlier.sync_error;
  if (earlier.frames_shown == 0) return;
  if (now.frames_shown > 0) {
    const Duration outage = now.first_shown - earlier.last_shown;
    now.longest_gap = std::max(now.longest_gap, outage);
    if (outage > media::PlaybackStats::kFreeze) ++now.freezes;
  }
  now.frames_shown += earlier.frames_shown;
  now.first_shown = earlier.first_shown;
  if (now.last_shown < earlier.last_shown) now.last_shown = earlier.last_shown;
}

}  // namespace qvid::app
