#include "lab/load/load_statistics.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace qvid::lab {
namespace {

double lost_part(std::int64_t arrived, std::int64_t expected) {
  if (expected <= 0) return 0;
  return static_cast<double>(std::max(expected - arrived, std::int64_t{0})) /
         static_cast<double>(expected);
}

}  // namespace

void LoadStatistics::on_item(Timestamp sent, std::size_t viewers) {
  if (counts(sent)) expected_ += static_cast<std::int64_t>(viewers);
}

void LoadStatistics::on_part(std::size_t viewer, std::size_t layer, Timestamp sent, ByteCount size,
                             Timestamp now) {
  if (layer == 0) {
    if (viewer >= last_.size()) last_.resize(viewer + 1, kNever);
    const Timestamp before = std::exchange(last_[viewer], now);
    longest_gap_ = std::max(longest_gap_, gap(before, now));
  }
  if (!counts(sent) || layer >= kLayers) return;
  ++arrived_[layer];
  bytes_ += size;
  all_.add(now - sent);
  if (layer == 0) base_.add(now - sent);
}

Duration LoadStatistics::gap(Timestamp from, Timestamp to) const {
  if (from == kNever || begin_ == kNever) return {};
  return std::min(to, end_) - std::max(from, begin_);
}

Duration LoadStatistics::longest_gap() const {
  Duration longest = longest_gap_;
  if (end_ == kNever) return longest;
  for (const Timestamp last : last_) longest = std::max(longest, gap(last, end_));
  return longest;
}

double LoadStatistics::lost(std::size_t layer) const {
  return lost_part(arrived_[layer], expected_);
}

double LoadStatistics::lost() const {
  return lost_part(std::accumulate(arrived_.begin(), arrived_.end(), std::int64_t{0}),
                   expected_ * static_cast<std::int64_t>(kLayers));
}

}  // namespace qvid::lab
