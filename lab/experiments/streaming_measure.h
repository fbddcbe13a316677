// The measures of stored video (media/stored/streaming_measures.h; 004 section 5.2.3) as numbers of
// a row: of a summary, or of what a player of the product reports. kNothingMeasured where it has none.
#pragma once

#include <array>
#include <string_view>

#include "lab/bed/run_result.h"
#include "lab/experiments/statistics.h"
#include "media/stored/streaming_measures.h"

namespace qvid::lab {

struct StreamingRow {
  double start_up = kNothingMeasured;  // s
  double stalls = kNothingMeasured;
  double stalled = kNothingMeasured;  // s
  double played = kNothingMeasured;   // s
  double frame_rate = kNothingMeasured;
  double level = kNothingMeasured;  // mean
  double switches = kNothingMeasured;
  double interval_ms = kNothingMeasured;           // mu, of frames received
  double jitter_ms = kNothingMeasured;             // theta
  std::array<double, media::kMaxUnits + 1> share;  // of the time, by level; 0: lost

  StreamingRow() { share.fill(kNothingMeasured); }
  // theta / mu
  double jitter() const { return jitter_ms / interval_ms; }
};

StreamingRow streaming_row(const media::StreamingMeasures::Summary& summary);
StreamingRow streaming_row(const ReportNumbers& report);

// A player's number of stored video, by its path.
double stored_number(const ReportNumbers& report, std::string_view path);

}  // namespace qvid::lab
