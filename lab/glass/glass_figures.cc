#include "lab/glass/glass_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "lab/glass/clock_time.h"

namespace qvid::lab {
namespace {

constexpr Duration kAgeStep = 10ms;

bool is_in(Timestamp at, const GlassSpan& span) { return at >= span.from && at < span.to; }

Duration delay_of(const Sighting& seen) { return seen.at - time_of_number(seen.number); }

// Those that are newer than all before.
std::vector<Sighting> new_pictures(const GlassLog& log) {
  std::vector<Sighting> fresh;
  for (const Sighting& seen : log.sightings) {
    if (fresh.empty() || seen.number > fresh.back().number) fresh.push_back(seen);
  }
  return fresh;
}

std::vector<double> ages(const std::vector<Sighting>& fresh, const GlassSpan& span) {
  std::vector<double> all;
  std::size_t next = 0;  // the first that is not on the glass yet
  for (Timestamp at = span.from; at < span.to; at += kAgeStep) {
    while (next < fresh.size() && fresh[next].at <= at) ++next;
    if (next > 0) all.push_back(to_ms(at - time_of_number(fresh[next - 1].number)));
  }
  return all;
}

double deviation(const std::vector<double>& values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  double squares = 0;
  for (const double v : values) {
    sum += v;
    squares += v * v;
  }
  const auto count = static_cast<double>(values.size());
  return std::sqrt(std::max(0.0, squares / count - sum * sum / count / count));
}

// Not a number: nothing to compare.
double mean_of(double SeenQuality::*quality, const GlassLog& log, const GlassSpan& span) {
  double sum = 0;
  double looks = 0;
  for (const SeenQuality& seen : log.quality) {
    if (!is_in(seen.at, span)) continue;
    sum += seen.*quality;
    ++looks;
  }
  return looks > 0 ? sum / looks : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

GlassFigures glass_figures(const GlassLog& log, const GlassSpan& span, Duration freeze) {
  GlassFigures figures;
  const std::vector<Sighting> fresh = new_pictures(log);
  std::vector<double> intervals;
  Timestamp before = span.from;
  const auto add_gap = [&](Timestamp until) {
    const Duration gap = until - before;
    before = until;
    if (gap <= freeze) return;
    ++figures.freezes;
    figures.frozen_s += to_seconds(gap);
    figures.longest_freeze_ms = std::max(figures.longest_freeze_ms, to_ms(gap));
  };
  for (const Sighting& seen : fresh) {
    if (!is_in(seen.at, span)) continue;
    if (figures.pictures++ > 0) intervals.push_back(to_ms(seen.at - before));
    figures.delays_ms.push_back(to_ms(delay_of(seen)));
    add_gap(seen.at);
  }
  add_gap(span.to);
  figures.pictures_a_second =
      static_cast<double>(figures.pictures) / to_seconds(span.to - span.from);
  figures.ages_ms = ages(fresh, span);
  figures.interval_deviation_ms = deviation(intervals);
  for (std::size_t i = 1; i < log.sightings.size(); ++i) {
    if (is_in(log.sightings[i].at, span) && log.sightings[i].number < log.sightings[i - 1].number) {
      ++figures.steps_back;
    }
  }
  figures.psnr = mean_of(&SeenQuality::psnr, log, span);
  figures.ssim = mean_of(&SeenQuality::ssim, log, span);
  for (const auto& [at, late] : log.clock_late) {
    if (is_in(at, span)) figures.clock_late_ms.push_back(to_ms(late));
  }
  return figures;
}

double back_after_ms(const GlassLog& log, const GlassSpan& span) {
  for (const Sighting& seen : new_pictures(log)) {
    if (is_in(seen.at, span) && delay_of(seen) <= kFresh) return to_ms(seen.at - span.from);
  }
  return std::numeric_limits<double>::infinity();
}

double quality_back_after_ms(const GlassLog& log, const GlassSpan& before, const GlassSpan& after) {
  const double wanted = mean_of(&SeenQuality::psnr, log, before) - kSameQuality;
  if (std::isnan(wanted)) return wanted;
  // What waited somewhere may look as good as before.
  const double back = back_after_ms(log, after);
  std::optional<Timestamp> since;
  bool was_good = true;
  for (const SeenQuality& seen : log.quality) {
    if (!is_in(seen.at, after) || to_ms(seen.at - after.from) < back) continue;
    if (since && seen.at > *since + kSteadyFor) break;
    const bool good = seen.psnr >= wanted;
    if (good && !since) since = seen.at;
    if (!good && !was_good) since.reset();
    was_good = good;
  }
  return since ? to_ms(*since - after.from) : std::numeric_limits<double>::infinity();
}

std::vector<std::pair<double, double>> glass_delay_over_time(const GlassLog& log,
                                                             const GlassSpan& span, Duration step) {
  std::vector<std::pair<double, double>> points;
  std::int64_t last = -1;  // step of the last point
  for (const Sighting& seen : new_pictures(log)) {
    if (!is_in(seen.at, span)) continue;
    const std::int64_t index = (seen.at - span.from) / step;
    const double delay = to_ms(delay_of(seen));
    if (index == last) {
      points.back().second = std::max(points.back().second, delay);
      continue;
    }
    last = index;
    points.emplace_back((static_cast<double>(index) + 0.5) * to_seconds(step), delay);
  }
  return points;
}

}  // namespace qvid::lab
