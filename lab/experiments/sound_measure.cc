#include "lab/experiments/sound_measure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lab/experiments/sync_measure.h"

namespace qvid::lab {
namespace {

constexpr double kFloor = -50;  // dBFS; what is quieter is not in a log

// Levels over kFloor on an even grid of kLevelTime from `from` on; 0: quiet.
std::vector<double> envelope(const std::vector<OutputValue>& levels, TimeSpan span) {
  const double length = std::max(0.0, span.to - span.from);
  std::vector<double> values(static_cast<std::size_t>(length / kLevelTime) + 1);
  for (const OutputValue& level : levels) {
    const double place = std::round((level.at - span.from) / kLevelTime);
    if (place < 0 || place >= static_cast<double>(values.size())) continue;
    double& value = values[static_cast<std::size_t>(place)];
    value = std::max(value, level.value - kFloor);
  }
  return values;
}

// Sums of the first n values and of their squares, for windows' means.
struct Sums {
  std::vector<double> plain{0};
  std::vector<double> squares{0};

  explicit Sums(const std::vector<double>& values) {
    for (const double value : values) {
      plain.push_back(plain.back() + value);
      squares.push_back(squares.back() + value * value);
    }
  }
  double mean(std::size_t from, std::size_t count) const {
    return (plain[from + count] - plain[from]) / static_cast<double>(count);
  }
  double variance(std::size_t from, std::size_t count) const {
    const double m = mean(from, count);
    return (squares[from + count] - squares[from]) / static_cast<double>(count) - m * m;
  }
};

}  // namespace

std::vector<SoundGap> gaps_in(const std::vector<OutputValue>& heard, TimeSpan span,
                              double least_ms) {
  std::vector<SoundGap> gaps;
  double quiet_since = span.from;
  const auto until = [&](double at) {
    const double ms = 1e3 * (at - quiet_since);
    if (ms > least_ms) gaps.push_back({.at = quiet_since, .ms = ms});
  };
  for (const OutputValue& level : heard) {
    if (level.at < span.from) continue;
    if (level.at >= span.to) break;
    until(level.at);
    quiet_since = std::max(quiet_since, level.at + kLevelTime);
  }
  until(span.to);
  return gaps;
}

ClickDelays click_delays(const OutputTable& spoken, const OutputTable& heard, TimeSpan span) {
  const std::vector<double> said = sound_onsets(spoken.spoken);
  const std::vector<double> came = sound_onsets(heard.heard);
  ClickDelays result;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (said[i] < span.from || said[i] >= span.to) continue;
    double latest = said[i] + kMostDelay;
    if (i + 1 < said.size()) latest = std::min(latest, said[i + 1]);
    const auto click = std::lower_bound(came.begin(), came.end(), said[i]);
    if (click != came.end() && *click < latest) {
      result.delays.push_back({.at = said[i], .value = 1e3 * (*click - said[i])});
    } else {
      ++result.missing;
    }
  }
  return result;
}

std::vector<OutputValue> delays_by_envelope(const OutputTable& spoken, const OutputTable& heard,
                                            TimeSpan span) {
  const std::vector<double> said = envelope(spoken.spoken, span);
  const std::vector<double> came = envelope(heard.heard, {span.from, span.to + kMostDelay});
  const Sums said_sums(said);
  const Sums came_sums(came);
  const auto window = static_cast<std::size_t>(kMatchWindow / kLevelTime);
  const auto step = static_cast<std::size_t>(kMatchStep / kLevelTime);
  const auto lags = static_cast<std::size_t>(kMostDelay / kLevelTime);
  const auto count = static_cast<double>(window);
  std::vector<OutputValue> delays;
  for (std::size_t begin = 0; begin + window <= said.size(); begin += step) {
    const double said_mean = said_sums.mean(begin, window);
    const double said_variance = said_sums.variance(begin, window);
    double best = kAlike;
    double best_lag = -1;
    for (std::size_t lag = 0; lag <= lags && begin + lag + window <= came.size(); ++lag) {
      const double variance = said_variance * came_sums.variance(begin + lag, window);
      if (variance <= 0) continue;
      double product = 0;
      for (std::size_t i = 0; i < window; ++i) product += said[begin + i] * came[begin + lag + i];
      const double covariance = product / count - said_mean * came_sums.mean(begin + lag, window);
      const double alike = covariance / std::sqrt(variance);
      if (alike <= best) continue;
      best = alike;
      best_lag = static_cast<double>(lag);
    }
    if (best_lag < 0) continue;
    delays.push_back({.at = span.from + static_cast<double>(begin) * kLevelTime,
                      .value = 1e3 * best_lag * kLevelTime});
  }
  return delays;
}

}  // namespace qvid::lab
