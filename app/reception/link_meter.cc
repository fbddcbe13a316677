#include "app/reception/link_meter.h"

namespace qvid::app {
namespace {

constexpr double kPoorLoss = 0.05;
constexpr double kFairLoss = 0.01;
constexpr double kFairFull = 0.8;
constexpr Duration kFairRoundTrip = std::chrono::milliseconds(300);
constexpr Duration kPoorRoundTrip = std::chrono::milliseconds(800);

}  // namespace

void LinkMeter::add(const Count& count) {
  if (!counts_.empty()) {
    if (counts_.back().before(count)) counts_.clear();
    if (!counts_.empty() && count.at - counts_.back().at < kStep) return;
  }
  counts_.push_back(count);
  while (count.at - counts_.front().at > kSpan) counts_.pop_front();
}

std::optional<LinkMeter::Reading> LinkMeter::picture() const {
  if (counts_.empty() || counts_.back().at - counts_.front().at < kLeast) return std::nullopt;
  const auto come = static_cast<double>(counts_.back().come - counts_.front().come);
  const auto lost = static_cast<double>(counts_.back().lost - counts_.front().lost);
  const auto full = static_cast<double>(counts_.back().full - counts_.front().full);
  if (come + lost <= 0) return Reading{.bars = 1};
  Reading reading{.bars = 3, .comes = true, .whole = full >= kFairFull * come};
  reading.loss = lost / (come + lost);
  if (reading.loss > kFairLoss || !reading.whole) reading.bars = 2;
  if (reading.loss > kPoorLoss) reading.bars = 1;
  return reading;
}

std::optional<LinkMeter::Reading> LinkMeter::sound() const {
  const auto reading = picture();
  return reading && reading->comes ? reading : std::nullopt;
}

int bars_of_round_trip(Duration round_trip) {
  if (round_trip <= Duration::zero()) return 0;
  if (round_trip >= kPoorRoundTrip) return 1;
  return round_trip >= kFairRoundTrip ? 2 : 3;
}

}  // namespace qvid::app
