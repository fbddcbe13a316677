#include "lab/bed/goddard_scaling.h"

#include <algorithm>

namespace qvid::lab {
namespace {

constexpr int kHighestScale = static_cast<int>(kGoddardScales.size()) - 1;

DataRate bitrate_of(int scale) { return kGoddardScales[static_cast<std::size_t>(scale)].bitrate(); }

// The lowest, where none is below the rate.
int largest_below(DataRate rate) {
  int scale = kHighestScale;
  while (scale > 0 && bitrate_of(scale) >= rate) --scale;
  return scale;
}

}  // namespace

void GoddardScaling::begin(DataRate capacity, Timestamp now) {
  capacity_ = capacity;
  scale_ = largest_below(capacity);
  decided_ = now;
  good_since_ = now;
}

bool GoddardScaling::on_frame(std::uint32_t number, ByteCount bytes, Timestamp now) {
  note(number, bytes, now);
  if (!by_losses_) return false;
  if (now - good_since_ >= rules_.limit_factor * rules_.rise_interval) {
    limit_ = std::min(limit_ + 1, kHighestScale);
    good_since_ = now;
  }
  if (now - decided_ >= rules_.loss_interval && scale_ > 0 &&
      loss(rules_.loss_interval, now) > rules_.most_loss) {
    --scale_;
    decided_ = now;
    good_since_ = now;
    return true;
  }
  if (now - decided_ >= rules_.rise_interval && scale_ < limit_ &&
      bitrate_of(scale_ + 1) <= capacity_ && loss(rules_.rise_interval, now) < rules_.least_loss) {
    ++scale_;
    decided_ = now;
    return true;
  }
  return false;
}

void GoddardScaling::on_rebuffering(Timestamp now) {
  limit_ = std::max(0, scale_ - 1);
  scale_ = std::min(largest_below(received(rules_.loss_interval, now)), limit_);
  decided_ = now;
  good_since_ = now;
}

void GoddardScaling::note(std::uint32_t number, ByteCount bytes, Timestamp now) {
  Arrival arrival{.at = now, .bytes = bytes};
  if (number > highest_) {
    const std::int64_t first = highest_ + 1;
    arrival.lost = static_cast<int>(number - first);
    for (std::int64_t n = std::max(first, number - std::int64_t{kMostMissing}); n < number; ++n) {
      missing_.insert(n);
    }
    while (missing_.size() > kMostMissing) missing_.erase(missing_.begin());
    highest_ = number;
  } else if (missing_.erase(number) > 0) {
    arrival.lost = -1;
  } else {
    return;  // twice
  }
  arrivals_.push_back(arrival);
  while (arrivals_.size() > kMostNoted || now - arrivals_.front().at > rules_.rise_interval) {
    arrivals_.pop_front();
  }
}

double GoddardScaling::loss(Duration interval, Timestamp now) const {
  std::int64_t lost = 0;
  std::int64_t frames = 0;
  for (auto a = arrivals_.rbegin(); a != arrivals_.rend() && now - a->at < interval; ++a) {
    lost += a->lost;
    ++frames;
  }
  const std::int64_t missed = std::max<std::int64_t>(0, lost);
  return frames == 0 ? 0 : static_cast<double>(missed) / static_cast<double>(frames + missed);
}

DataRate GoddardScaling::received(Duration interval, Timestamp now) const {
  ByteCount bytes{};
  for (auto a = arrivals_.rbegin(); a != arrivals_.rend() && now - a->at < interval; ++a) {
    bytes += a->bytes;
  }
  return DataRate::of(bytes, interval);
}

}  // namespace qvid::lab
