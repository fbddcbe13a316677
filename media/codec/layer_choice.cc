#include "media/codec/layer_choice.h"

#include <utility>

namespace qvid::media {

void LayerChoice::set_needed(bool both) {
  if (std::exchange(needed_, both) == both) return;
  if (both) return change(LayerStructure::kBoth);
  // Nothing is coded yet: what one layer costs less is worth more than the reserve.
  if (frames_ == 0) change(LayerStructure::kWhole);
}

void LayerChoice::change(LayerStructure structure) {
  structure_ = structure;
  frames_ = 0;
}

void LayerChoice::on_frame(double quantiser) {
  mean_ = frames_ == 0 ? quantiser : mean_ + weight_ * (quantiser - mean_);
  if (++frames_ < dwell_ || needed_) return;
  switch (structure_) {
    case LayerStructure::kSmall:
      if (mean_ < kSmallIsFine) change(LayerStructure::kWhole);
      break;
    case LayerStructure::kWhole:
    case LayerStructure::kBoth:
      if (mean_ > kTooCoarse) {
        change(LayerStructure::kSmall);
      } else if (structure_ == LayerStructure::kBoth && mean_ > kScarce) {
        change(LayerStructure::kWhole);
      } else if (structure_ == LayerStructure::kWhole && mean_ < kAmple) {
        change(LayerStructure::kBoth);
      }
      break;
  }
}

}  // namespace qvid::media
