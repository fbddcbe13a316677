#include "app/load_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qvid::app {
namespace {

constexpr double kWidth = 1.02;
constexpr std::size_t kBuckets = 931;  // 1.02^930 µs = 99 s

double log_width(double microseconds) { return std::log(microseconds) / std::log(kWidth); }

double lost_part(std::int64_t arrived, std::int64_t expected) {
  if (expected <= 0) return 0;
  return static_cast<double>(std::max(expected - arrived, std::int64_t{0})) /
         static_cast<double>(expected);
}

}  // namespace

DelayHistogram::DelayHistogram() : buckets_(kBuckets) {}

void DelayHistogram::add(Duration delay) {
  const double microseconds = std::max(1.0, 1e6 * to_seconds(delay));
  const auto bucket = static_cast<std::size_t>(log_width(microseconds));
  ++buckets_[std::min(bucket, kBuckets - 1)];
  ++count_;
  most_ = std::max(most_, delay);
}

void DelayHistogram::clear() {
  std::ranges::fill(buckets_, 0);
  count_ = 0;
  most_ = {};
}

Duration DelayHistogram::percentile(double part) const {
  if (count_ == 0) return {};
  const auto wanted = std::max(
      std::int64_t{1}, static_cast<std::int64_t>(std::ceil(part * static_cast<double>(count_))));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    sum += buckets_[i];
    // The upper edge, but no more than there was.
    if (sum >= wanted) {
      return std::min(most_, from_seconds(std::pow(kWidth, static_cast<double>(i + 1)) / 1e6));
    }
  }
  return most_;
}

void LoadStatistics::on_item(Timestamp sent, std::size_t viewers) {
  if (counts(sent)) expected_ += static_cast<std::int64_t>(viewers);
}

void LoadStatistics::on_part(std::size_t layer, Timestamp sent, ByteCount size, Timestamp now) {
  if (!counts(sent) || layer >= kLayers) return;
  ++arrived_[layer];
  bytes_ += size;
  all_.add(now - sent);
  if (layer == 0) base_.add(now - sent);
}

double LoadStatistics::lost(std::size_t layer) const {
  return lost_part(arrived_[layer], expected_);
}

double LoadStatistics::lost() const {
  return lost_part(std::accumulate(arrived_.begin(), arrived_.end(), std::int64_t{0}),
                   expected_ * static_cast<std::int64_t>(kLayers));
}

}  // namespace qvid::app
