#include "transport/rate/receiver_rate.h"

#include <algorithm>

namespace paceline {

void ReceiverRate::on_reading(const DeliveryMeter::Reading& recent,
                              const DeliveryMeter::Reading& whole, Timestamp now) {
  if (now < told_until_ || (!highest_ && whole.offered < kLeast)) return;
  if (recent.lost > 0 || recent.busy > kBusy) {
    // A path that has stopped says nothing of how much it carries: half, until it does.
    const DataRate fitting = recent.rate.bps() > 0 ? whole.capacity * kDrain : rate_ * 0.5;
    fall_to(fitting, now);
  } else if (whole.lost == 0 && now >= hold_until_ && whole.rate.bps() > 0) {
    if (whole.busy < kIdle) rise(whole);
    fitted_ = rate_;
  }
}

void ReceiverRate::on_told(const PathRate& path, Timestamp now) {
  if (path.reason == PathRate::Reason::kSlowed) return fall_to(path.rate * kDrain, now);
  if (path.reason == PathRate::Reason::kRestored) {
    rate_ = std::max(rate_, fitted_);
    hold_until_ = now + kHold;
    return;
  }
  const bool shares = path.reason == PathRate::Reason::kShare;
  const DataRate share = std::max(path.rate * (shares ? kShareMargin : kDrain), kLowest);
  rate_ = highest_ ? std::min(share, *highest_) : share;
  told_until_ = now + kHold;
  if (shares) contended_until_ = now + kContended;
}

void ReceiverRate::rise(const DeliveryMeter::Reading& whole) {
  // Of what it offers, not of what it may: an encoder follows within half a second, and a rate that
  // ran ahead meets the path all at once.
  const DataRate next = std::min(rate_ * kStep, whole.capacity * kMargin);
  if (highest_) {
    rate_ = std::min(std::max(rate_, next), *highest_);
  } else {
    // A still picture takes little, which says nothing of the path.
    const DataRate most = std::max(whole.rate * kHeadroom, kBegin);
    const DataRate fits = rate_ > DataRate() ? std::min(next, most) : kBegin;
    rate_ = std::max({rate_, fits, std::min(whole.rate * kStep, whole.capacity * kMargin)});
  }
}

void ReceiverRate::fall_to(DataRate rate, Timestamp now) {
  const bool known = rate_ > DataRate();
  rate_ =
      std::max(known ? std::min(rate, rate_) : rate, known ? std::min(kLowest, rate_) : kLowest);
  hold_until_ = now + kHold;
}

}  // namespace paceline
