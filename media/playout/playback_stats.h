// What a player saw of a stream: counted where it happens, read by overlay, report and --json.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/duration_histogram.h"
#include "base/units.h"

namespace qvid::media {

// How even the intervals from one picture to the next are.
struct Intervals {
  std::int64_t count = 0;
  double sum_ms = 0.0;
  double squares = 0.0;  // of ms

  void add(Duration interval) {
    ++count;
    sum_ms += to_ms(interval);
    squares += to_ms(interval) * to_ms(interval);
  }
  Intervals& operator+=(const Intervals& o) {
    count += o.count;
    sum_ms += o.sum_ms;
    squares += o.squares;
    return *this;
  }
  // Standard deviation in ms; zero where there are none.
  double deviation_ms() const {
    if (count == 0) return 0.0;
    const double mean = sum_ms / static_cast<double>(count);
    return std::sqrt(std::max(0.0, squares / static_cast<double>(count) - mean * mean));
  }
};

struct PlaybackStats {
  std::int64_t frames_shown = 0;
  std::int64_t frames_lost = 0;      // due, and nothing of them could be shown in time
  std::int64_t shown_full = 0;       // with all layers
  std::int64_t frames_due = 0;       // whose header had come by their decode time
  std::int64_t units_announced = 0;  // of those frames
  std::int64_t units_received = 0;   // of those units, by then
  std::int64_t decode_errors = 0;
  std::int64_t bad_messages = 0;
  std::int64_t bytes_received = 0;
  std::int64_t freezes = 0;  // more than kFreeze from one picture to the next
  Duration longest_gap{};
  Intervals intervals;
  Duration delay{};  // capture to shown, of the latest picture
  DurationHistogram delays;
  Duration receiving{};  // from the first message to the latest
  Timestamp first_shown{};
  Timestamp last_shown{};
  double recent_fps = 0.0;  // over the last two seconds
  double recent_kbps = 0.0;
  // Frames whose turn came, and those whose base unit had not come by then.
  std::int64_t bases_due = 0;
  std::int64_t bases_late = 0;
  double drift_ppm = 0.0;        // our clock is faster than the server's by that
  std::int64_t clock_steps = 0;  // a clock was set, a machine slept
  // From capture to shown, the path's least transit left aside: of the latest picture; and what the
  // bases and the highest layers have needed of late (playout_delay.h).
  Duration playout{};
  Duration base_need{};
  Duration whole_need{};

  // By how much the latest picture was later than the sound of its instant; negative: earlier;
  // empty: no sound led.
  std::optional<Duration> sync_error;
  DurationHistogram sync_errors;  // absolute, from 5 s after sound began to lead; most(): the worst

  static constexpr Duration kFreeze = std::chrono::milliseconds(250);

  double mean_fps() const {
    const double time = to_seconds(last_shown - first_shown);
    return time > 0 ? static_cast<double>(frames_shown - 1) / time : 0.0;
  }
  // Share of the announced units that the sender cancelled, or that came too late.
  double missing_share() const {
    return units_announced == 0 ? 0.0
                                : std::max(0.0, 1.0 - static_cast<double>(units_received) /
                                                          static_cast<double>(units_announced));
  }
  double late_base_share() const {
    return bases_due == 0 ? 0.0 : static_cast<double>(bases_late) / static_cast<double>(bases_due);
  }
  double units_per_frame() const {
    return frames_due == 0 ? 0.0
                           : static_cast<double>(units_received) / static_cast<double>(frames_due);
  }
};

}  // namespace qvid::media
