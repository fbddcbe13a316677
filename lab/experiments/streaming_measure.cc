#include "lab/experiments/streaming_measure.h"

#include <fmt/format.h>

namespace qvid::lab {

double stored_number(const ReportNumbers& report, std::string_view path) {
  const auto found = report.find(fmt::format("stored.{}", path));
  return found == report.end() ? kNothingMeasured : found->second;
}

StreamingRow streaming_row(const media::StreamingMeasures::Summary& s) {
  StreamingRow row;
  if (s.start_up) row.start_up = to_seconds(*s.start_up);
  row.stalls = static_cast<double>(s.stalls);
  row.stalled = to_seconds(s.stalled);
  row.played = to_seconds(s.played);
  row.frame_rate = s.frame_rate;
  row.level = s.mean_level;
  row.switches = static_cast<double>(s.switches);
  row.interval_ms = to_ms(s.reception_mean);
  row.jitter_ms = to_ms(s.reception_deviation);
  row.share = s.share;
  return row;
}

StreamingRow streaming_row(const ReportNumbers& report) {
  const auto number = [&](std::string_view path) { return stored_number(report, path); };
  StreamingRow row;
  row.start_up = number("start_up_ms") / 1e3;
  row.stalls = number("stalls");
  row.stalled = number("stalled_ms") / 1e3;
  row.played = number("played_ms") / 1e3;
  row.frame_rate = number("frame_rate");
  row.level = number("mean_layers");
  row.switches = number("switches");
  row.interval_ms = number("reception_ms.mean");
  row.jitter_ms = number("reception_ms.deviation");
  for (std::size_t i = 0; i < row.share.size(); ++i) {
    row.share[i] = number(fmt::format("share_by_layers.{}", i));
  }
  return row;
}

}  // namespace qvid::lab
