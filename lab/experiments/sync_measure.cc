#include "lab/experiments/sync_measure.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace qvid::lab {
namespace {

std::vector<double> those_in(const std::vector<double>& times, const TimeSpan& span) {
  std::vector<double> some;
  for (const double at : times) {
    if (at >= span.from && at < span.to) some.push_back(at);
  }
  return some;
}

}  // namespace

std::vector<double> flash_onsets(const std::vector<OutputValue>& pictures) {
  std::vector<double> onsets;
  for (std::size_t i = 1; i < pictures.size(); ++i) {
    const bool rises = pictures[i].value - pictures[i - 1].value >= kFlashRise;
    const bool another = onsets.empty() || pictures[i].at - onsets.back() >= kSameFlash;
    if (rises && another) onsets.push_back(pictures[i].at);
  }
  return onsets;
}

std::vector<double> sound_onsets(const std::vector<OutputValue>& levels) {
  std::vector<double> onsets;
  std::optional<double> loud;  // when it last was
  for (const OutputValue& level : levels) {
    if (level.value <= kBeepLevel) continue;
    if (!loud || level.at - *loud >= kQuietTime) onsets.push_back(level.at);
    loud = level.at;
  }
  return onsets;
}

std::size_t missing_in(const std::vector<double>& events, TimeSpan span, double period) {
  const double whole = std::max(0.0, span.to - span.from);
  if (events.empty()) return static_cast<std::size_t>(whole / period);
  constexpr double kRounding = 1e-6;  // the span's end is not in it
  double missing = std::floor((events.front() - span.from) / period) +
                   std::max(0.0, std::floor((span.to - events.back()) / period - kRounding));
  for (std::size_t i = 1; i < events.size(); ++i) {
    missing += std::max(0.0, std::round((events[i] - events[i - 1]) / period) - 1);
  }
  return static_cast<std::size_t>(missing);
}

std::vector<double> SyncMeasure::absolute_ms() const {
  std::vector<double> all;
  for (const SyncError& error : errors) all.push_back(std::abs(error.ms));
  return all;
}

SyncMeasure measure_sync(const OutputTable& output, TimeSpan span) {
  const std::vector<double> flashes = those_in(flash_onsets(output.pictures), span);
  const std::vector<double> beeps = those_in(sound_onsets(output.heard), span);
  SyncMeasure measure{.missing_flashes = missing_in(flashes, span, kSyncPeriod),
                      .missing_beeps = missing_in(beeps, span, kSyncPeriod)};
  // The nearest first, so that none takes another's.
  std::vector<std::tuple<double, std::size_t, std::size_t>> near;  // apart, flash, beep
  for (std::size_t f = 0; f < flashes.size(); ++f) {
    for (auto b = std::lower_bound(beeps.begin(), beeps.end(), flashes[f] - kMostApart);
         b != beeps.end() && *b <= flashes[f] + kMostApart; ++b) {
      near.emplace_back(std::abs(flashes[f] - *b), f, static_cast<std::size_t>(b - beeps.begin()));
    }
  }
  std::sort(near.begin(), near.end());
  std::vector<bool> paired_flash(flashes.size());
  std::vector<bool> paired_beep(beeps.size());
  for (const auto& [apart, f, b] : near) {
    if (paired_flash[f] || paired_beep[b]) continue;
    paired_flash[f] = paired_beep[b] = true;
    measure.errors.push_back({.at = beeps[b], .ms = 1e3 * (flashes[f] - beeps[b])});
  }
  std::sort(measure.errors.begin(), measure.errors.end(),
            [](const SyncError& a, const SyncError& b) { return a.at < b.at; });
  return measure;
}

}  // namespace qvid::lab
