#include "media/live/encoder_rate.h"

#include <algorithm>

namespace qvid::media {
namespace {

// The least that a picture of the base can be made of.
constexpr DataRate kLowestBase = DataRate::from_kbps(40);

}  // namespace

EncoderRates EncoderRate::rates(std::span<const DataRate> receivers) {
  if (receivers.empty()) return {.total = highest_, .base = highest_ * kBaseShare, .layers = 2};
  const auto [lowest, most] = std::minmax_element(receivers.begin(), receivers.end());
  const DataRate total = std::min(*most, highest_);
  base_only_ = total < (base_only_ ? kTwoLayers : kOneLayer);
  // The base may have half of the total: the other half is not made.
  if (base_only_) return {.total = total * 2, .base = total, .layers = 1};
  const DataRate base = std::min(total * kBaseShare, *lowest * 0.5);
  return {.total = total, .base = std::max(base, kLowestBase), .layers = 2};
}

}  // namespace qvid::media
