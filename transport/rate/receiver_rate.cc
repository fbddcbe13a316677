#include "transport/rate/receiver_rate.h"

#include <algorithm>

namespace paceline {

void ReceiverRate::on_reading(const DeliveryMeter::Reading& recent,
                              const DeliveryMeter::Reading& whole, Timestamp now) {
  if (now < told_until_ || (!highest_ && whole.offered < kLeast)) return;
  if (recent.lost > 0 || recent.busy > kBusy) {
    // A path that has stopped says nothing of how much it carries: half, until it does.
    const DataRate fitting = recent.rate.bps() > 0 ? recent.capacity * kMargin : rate_ * 0.5;
    fall_to(fitting, now);
  } else if (whole.busy < kIdle && whole.lost == 0 && now >= hold_until_ && whole.rate.bps() > 0) {
    rise(whole);
  }
}

void ReceiverRate::on_told(const PathRate& path, Timestamp now) {
  if (path.reason == PathRate::Reason::kSlowed) return fall_to(path.rate * kMargin, now);
  const DataRate share = std::max(path.rate * kShareMargin, kLowest);
  rate_ = highest_ ? std::min(share, *highest_) : share;
  told_until_ = now + kHold;
}

void ReceiverRate::rise(const DeliveryMeter::Reading& whole) {
  const double step = std::min(kStep, kMargin / std::max(whole.busy, 0.01));
  const DataRate next = rate_ * step;
  if (highest_) {
    rate_ = std::min(next, *highest_);
  } else {
    // A still picture takes little, which says nothing of the path.
    const DataRate most = std::max(whole.rate * kHeadroom, kBegin);
    const DataRate fits = rate_ > DataRate() ? std::min(next, most) : kBegin;
    rate_ = std::max({rate_, fits, whole.rate * step});
  }
}

void ReceiverRate::fall_to(DataRate rate, Timestamp now) {
  const bool known = rate_ > DataRate();
  rate_ =
      std::max(known ? std::min(rate, rate_) : rate, known ? std::min(kLowest, rate_) : kLowest);
  hold_until_ = now + kHold;
}

}  // namespace paceline
