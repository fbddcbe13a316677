#include "media/live/encoder_rate.h"

#include <algorithm>

namespace qvid::media {
namespace {

// The least that a picture of the base can be made of.
constexpr DataRate kLowestBase = DataRate::from_kbps(40);

DataRate times(DataRate rate, double factor) {
  return DataRate::from_bps(static_cast<std::int64_t>(static_cast<double>(rate.bps()) * factor));
}

}  // namespace

void ViewerRate::on_reading(const DeliveryMeter::Reading& recent,
                            const DeliveryMeter::Reading& whole, Timestamp now) {
  if (recent.lost > 0 || recent.busy > kBusy) {
    // A path that has stopped says nothing of how much it carries: half, until it does.
    const DataRate fitting =
        recent.rate.bps() > 0 ? times(recent.capacity, kMargin) : times(rate_, 0.5);
    fall_to(fitting, now);
  } else if (whole.busy < kIdle && whole.lost == 0 && now >= hold_until_ && whole.rate.bps() > 0) {
    const double step = std::min(kStep, kMargin / std::max(whole.busy, 0.01));
    rate_ = std::min(times(rate_, step), highest_);
  }
}

void ViewerRate::on_slowed(DataRate rate, Timestamp now) { fall_to(times(rate, kMargin), now); }

void ViewerRate::fall_to(DataRate rate, Timestamp now) {
  rate_ = std::clamp(rate, std::min(kLowest, highest_), rate_);
  hold_until_ = now + kHold;
}

EncoderRates EncoderRate::rates(std::span<const DataRate> viewers) {
  if (viewers.empty()) return {.total = highest_, .base = times(highest_, kBaseShare), .layers = 2};
  const auto [lowest, most] = std::minmax_element(viewers.begin(), viewers.end());
  const DataRate total = std::min(*most, highest_);
  base_only_ = total < (base_only_ ? kTwoLayers : kOneLayer);
  // The base may have half of the total: the other half is not made.
  if (base_only_) return {.total = times(total, 2), .base = total, .layers = 1};
  const DataRate base = std::min(times(total, kBaseShare), times(*lowest, 0.5));
  return {.total = total, .base = std::max(base, kLowestBase), .layers = 2};
}

}  // namespace qvid::media
