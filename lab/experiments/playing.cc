#include "lab/experiments/playing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/experiments/statistics.h"

namespace qvid::lab {
namespace {

constexpr double kRounding = 1e-6;  // s; the 31st frame of an even video is not in its second

bool in(const TimeSpan& span, double at) { return at >= span.from && at < span.to; }
bool in(const std::vector<TimeSpan>& spans, double at) {
  return std::any_of(spans.begin(), spans.end(), [&](const TimeSpan& s) { return in(s, at); });
}

// Calls f(middle of the step, its frames) for every step that has frames.
template <class F>
void for_each_step(const std::vector<FrameInstant>& frames, double step, F f) {
  std::vector<FrameInstant> some;
  for (std::size_t i = 0; i < frames.size();) {
    const double number = std::floor(frames[i].at / step);
    some.clear();
    for (; i < frames.size() && std::floor(frames[i].at / step) == number; ++i) {
      some.push_back(frames[i]);
    }
    f((number + 0.5) * step, some);
  }
}

}  // namespace

std::vector<FrameInstant> instants_of(const PlayerResult& player) {
  std::vector<FrameInstant> instants;
  const double start = to_seconds(player.start.time_since_epoch());
  const PlayedFrame* before = nullptr;  // the last one shown
  for (const PlayedFrame& frame : player.frames) {
    if (frame.shown_ms) {
      before = &frame;
      instants.push_back({.at = start + *frame.shown_ms / 1e3,
                          .shown = true,
                          .layer = frame.layer,
                          .delay_ms = frame.delay_ms});
    } else if (before) {
      instants.push_back(
          {.at = start + (*before->shown_ms + frame.captured_ms - before->captured_ms) / 1e3});
    }
  }
  std::stable_sort(instants.begin(), instants.end(),
                   [](const FrameInstant& a, const FrameInstant& b) { return a.at < b.at; });
  return instants;
}

std::optional<Smoothness> smoothness(const std::vector<FrameInstant>& frames, TimeSpan span) {
  Smoothness s;
  std::optional<double> last;  // shown
  const auto gap_until = [&](double at) {
    if (!last) return;
    const double gap_ms = 1e3 * (at - std::max(*last, span.from));
    s.longest_gap_ms = std::max(s.longest_gap_ms, gap_ms);
    if (gap_ms > kFreezeMs) ++s.freezes;
  };
  double first = span.to;  // since when there was something to see
  for (const FrameInstant& frame : frames) {
    if (frame.at >= span.to) break;
    if (!frame.shown) {
      if (in(span, frame.at)) ++s.lost;
      continue;
    }
    first = std::min(first, std::max(frame.at, span.from));
    if (in(span, frame.at)) {
      gap_until(frame.at);
      ++s.shown;
    }
    last = frame.at;
  }
  if (!last) return std::nullopt;
  gap_until(span.to);
  s.frames_a_second = static_cast<double>(s.shown) / (span.to - first);
  return s;
}

double share_full(const std::vector<FrameInstant>& frames, int full,
                  const std::vector<TimeSpan>& spans) {
  std::size_t all = 0;
  std::size_t good = 0;
  for (const FrameInstant& frame : frames) {
    if (!in(spans, frame.at)) continue;
    ++all;
    if (frame.layer >= full) ++good;
  }
  return all == 0 ? kNothingMeasured : static_cast<double>(good) / static_cast<double>(all);
}

std::vector<double> delays_in(const std::vector<FrameInstant>& frames,
                              const std::vector<TimeSpan>& spans) {
  std::vector<double> delays;
  for (const FrameInstant& frame : frames) {
    if (frame.shown && in(spans, frame.at)) delays.push_back(frame.delay_ms);
  }
  return delays;
}

double until_full(const std::vector<FrameInstant>& frames, int full, std::size_t wanted,
                  TimeSpan span) {
  std::vector<double> good;  // moments
  for (const FrameInstant& frame : frames) {
    if (in(span, frame.at) && frame.layer >= full) good.push_back(frame.at);
  }
  for (std::size_t i = 0; i + wanted <= good.size(); ++i) {
    if (good[i] + 1 > span.to) break;
    if (good[i + wanted - 1] - good[i] < 1 - kRounding) return good[i] - span.from;
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<std::pair<double, double>> layers_over_time(const std::vector<FrameInstant>& frames,
                                                        double step) {
  std::vector<std::pair<double, double>> points;
  for_each_step(frames, step, [&](double at, const std::vector<FrameInstant>& some) {
    double layers = 0;
    for (const FrameInstant& frame : some) layers += frame.layer + 1;
    points.emplace_back(at, layers / static_cast<double>(some.size()));
  });
  return points;
}

std::vector<std::pair<double, double>> delay_over_time(const std::vector<FrameInstant>& frames,
                                                       double step) {
  std::vector<std::pair<double, double>> points;
  for_each_step(frames, step, [&](double at, const std::vector<FrameInstant>& some) {
    double most = -1;
    for (const FrameInstant& frame : some) {
      if (frame.shown) most = std::max(most, frame.delay_ms);
    }
    if (most >= 0) points.emplace_back(at, most);
  });
  return points;
}

}  // namespace qvid::lab
