#include "transport/rate/receiver_rate.h"

#include <algorithm>

namespace paceline {
namespace {

using qvid::DataRate;

DataRate scaled(DataRate rate, double factor) {
  return DataRate::from_bps(static_cast<std::int64_t>(static_cast<double>(rate.bps()) * factor));
}

}  // namespace

void ReceiverRate::on_reading(const DeliveryMeter::Reading& recent,
                              const DeliveryMeter::Reading& whole, Timestamp now) {
  if (!highest_ && whole.offered < kLeast) return;
  if (recent.lost > 0 || recent.busy > kBusy) {
    // A path that has stopped says nothing of how much it carries: half, until it does.
    const DataRate fitting =
        recent.rate.bps() > 0 ? scaled(recent.capacity, kMargin) : scaled(rate_, 0.5);
    fall_to(fitting, now);
  } else if (whole.busy < kIdle && whole.lost == 0 && now >= hold_until_ && whole.rate.bps() > 0) {
    rise(whole);
  }
}

void ReceiverRate::on_slowed(DataRate rate, Timestamp now) { fall_to(scaled(rate, kMargin), now); }

void ReceiverRate::rise(const DeliveryMeter::Reading& whole) {
  const double step = std::min(kStep, kMargin / std::max(whole.busy, 0.01));
  const DataRate next = scaled(rate_, step);
  if (highest_) {
    rate_ = std::min(next, *highest_);
  } else {
    // A still picture takes little, which says nothing of the path.
    const DataRate most = std::max(scaled(whole.rate, kHeadroom), kBegin);
    const DataRate fits = rate_ > DataRate() ? std::min(next, most) : kBegin;
    rate_ = std::max({rate_, fits, scaled(whole.rate, step)});
  }
}

void ReceiverRate::fall_to(DataRate rate, Timestamp now) {
  const bool known = rate_ > DataRate();
  rate_ =
      std::max(known ? std::min(rate, rate_) : rate, known ? std::min(kLowest, rate_) : kLowest);
  hold_until_ = now + kHold;
}

}  // namespace paceline
