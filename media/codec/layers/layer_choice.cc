#include "media/codec/layers/layer_choice.h"

#include <algorithm>
#include <utility>

namespace qvid::media {

void LayerChoice::set_needed(bool base) {
  if (asked_ || std::exchange(needed_, base) == base) return;
  if (base && structure_ == LayerStructure::kWhole) return change(LayerStructure::kBoth);
  // Nothing is coded yet: what one layer costs less is worth more than the reserve.
  if (!base && frames_ == 0) change(LayerStructure::kWhole);
}

void LayerChoice::change(LayerStructure structure) {
  structure_ = structure;
  frames_ = 0;
  spare_ = 0;
}

void LayerChoice::on_frame(double quantiser, double used) {
  const bool first = frames_ == 0;
  mean_ = first ? quantiser : mean_ + weight_ * (quantiser - mean_);
  used_ = first ? used : used_ + weight_ * (used - used_);
  spare_ = used_ < kAmple && mean_ < kFinest ? spare_ + 1 : 0;
  if (++frames_ < dwell_ || !needed_) return;
  const bool small = structure_ == LayerStructure::kSmall;
  if (small && std::max(mean_, quantiser) < limits_.small_is_fine) {
    change(*needed_ ? LayerStructure::kBoth : LayerStructure::kWhole);
  } else if (!small && std::min(mean_, quantiser) > limits_.too_coarse) {
    change(LayerStructure::kSmall);
  } else if (structure_ == LayerStructure::kBoth && !*needed_ &&
             (mean_ > kScarce || !limits_.base_of_spare)) {
    change(LayerStructure::kWhole);
  } else if (structure_ == LayerStructure::kWhole && limits_.base_of_spare && spare_ >= dwell_) {
    change(LayerStructure::kBoth);
  }
}

}  // namespace qvid::media
