#include "lab/load/load_statistics.h"

#include <algorithm>
#include <numeric>

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

}  // namespace qvid::lab
