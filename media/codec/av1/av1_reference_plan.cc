#include "media/codec/av1/av1_reference_plan.h"

#include <algorithm>
#include <bit>

#include "media/unit/coded_frame.h"

namespace qvid::media {
namespace {

int slot_of(int place) {
  return std::min(std::countr_zero(static_cast<unsigned>(place)), Av1ReferencePlan::kSlots - 1);
}
// The oldest that a slot can be: the last one's, just before it is written again.
static_assert(1 << Av1ReferencePlan::kSlots <= kMaxReferenceDistance + 1);

}  // namespace

Av1PlannedFrame Av1ReferencePlan::next() const {
  std::optional<int> best;  // slot
  for (int slot = 0; slot < kSlots && !group_.empty(); ++slot) {
    const int kept = kept_[static_cast<std::size_t>(slot)];
    if (!group_[static_cast<std::size_t>(kept)].sound) continue;
    if (!best || kept > kept_[static_cast<std::size_t>(*best)]) best = slot;
  }
  if (!best) return {};
  const int back = length() - kept_[static_cast<std::size_t>(*best)];
  return {.reference = Av1PlannedFrame::Reference{.slot = *best,
                                                  .frames_back = static_cast<std::uint8_t>(back)},
          .slot = slot_of(length())};
}

void Av1ReferencePlan::on_coded(FrameNumber number, const Av1PlannedFrame& frame,
                                std::uint8_t kept_in) {
  if (frame.is_sync_point()) {
    first_ = number;
    group_.clear();
  }
  for (std::size_t slot = 0; slot < kept_.size(); ++slot) {
    if ((kept_in >> slot & 1) != 0) kept_[slot] = length();
  }
  group_.push_back({.frames_back = frame.reference ? frame.reference->frames_back : 0});
}

void Av1ReferencePlan::on_lost(FrameNumber number) {
  if (number < first_ || number.value() - first_.value() >= length()) return;
  const auto lost = static_cast<std::size_t>(number.value() - first_.value());
  group_[lost].sound = false;
  for (std::size_t later = lost + 1; later < group_.size(); ++later) {
    const auto back = static_cast<std::size_t>(group_[later].frames_back);
    if (!group_[later - back].sound) group_[later].sound = false;
  }
}

}  // namespace qvid::media
