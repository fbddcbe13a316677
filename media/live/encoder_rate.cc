#include "media/live/encoder_rate.h"

#include <algorithm>

namespace qvid::media {
namespace {

// The least that a picture of the base can be made of.
constexpr DataRate kLowestBase = DataRate::from_kbps(40);

}  // namespace

EncoderRates EncoderRate::rates(std::span<const DataRate> receivers, bool contended) {
  if (receivers.empty()) {
    return {.total = highest_, .base = highest_ * kBaseShare, .base_needed = false};
  }
  const auto [lowest, most] = std::minmax_element(receivers.begin(), receivers.end());
  const DataRate total = std::min(*most, highest_);
  differ_ = *lowest < total * (differ_ ? kAlike : kDiffers);
  const DataRate base = std::min(total * kBaseShare, *lowest * 0.5);
  return {.total = total, .base = std::max(base, kLowestBase), .base_needed = differ_ || contended};
}

}  // namespace qvid::media
