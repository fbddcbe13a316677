// How much more rate one codec takes than another for the same quality.
//
// Bjontegaard's delta rate (ITU-T VCEG-M33) with straight lines between the points instead of a
// cubic: the mean of ln(rate) over the qualities that both reach, one less the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace qvid::media {

struct RatePoint {
  double rate = 0;     // any unit, above 0
  double quality = 0;  // higher is better
};

// ln(rate) at that quality, on the lines between the points. Precondition: `points` rise, and the
// quality is within theirs.
inline double log_rate_at(const std::vector<RatePoint>& points, double quality) {
  auto above =
      std::ranges::find_if(points, [&](const RatePoint& p) { return p.quality >= quality; });
  if (above == points.end()) --above;
  if (above == points.begin()) return std::log(above->rate);
  const auto below = above - 1;
  const double part = (quality - below->quality) / (above->quality - below->quality);
  return (1 - part) * std::log(below->rate) + part * std::log(above->rate);
}

// In percent of the rival's rate; empty where no quality is reached by both.
inline std::optional<double> bd_rate(std::vector<RatePoint> ours, std::vector<RatePoint> rival) {
  constexpr int kSteps = 200;
  for (auto* points : {&ours, &rival}) {
    std::ranges::sort(*points, {}, &RatePoint::quality);
    if (points->empty()) return std::nullopt;
  }
  const double from = std::max(ours.front().quality, rival.front().quality);
  const double to = std::min(ours.back().quality, rival.back().quality);
  if (from >= to) return std::nullopt;
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double quality = from + (to - from) * i / kSteps;
    sum += log_rate_at(ours, quality) - log_rate_at(rival, quality);
  }
  return 100 * (std::exp(sum / (kSteps + 1)) - 1);
}

}  // namespace qvid::media
