#include "media/codec/h264/reference_plan.h"

#include <algorithm>

namespace qvid::media {
namespace {

constexpr int kPattern = 4;

}  // namespace

int ReferencePlan::newest_t0() const {
  for (int back = 1; back <= length(); ++back) {
    if (at(back).temporal_class == TemporalClass::kT0) return back;
  }
  return 0;
}

int ReferencePlan::newest_sound_t0() const {
  for (int back = 1; back <= std::min(length(), kReach); ++back) {
    if (at(back).temporal_class == TemporalClass::kT0 && at(back).sound) return back;
  }
  return 0;
}

PlannedFrame ReferencePlan::next() const {
  const int base = newest_sound_t0();
  if (base == 0) return {};
  const auto back = static_cast<std::uint8_t>(base);
  if (!droppable_ || base != newest_t0() || base == kPattern) return {TemporalClass::kT0, {back}};
  switch (base) {
    case 1: return {TemporalClass::kT2, {back}};
    case 2: return {TemporalClass::kT1, {back}};
    default:
      if (at(1).sound) return {TemporalClass::kT2, {1, back}};
      return {TemporalClass::kT2, {back}};
  }
}

void ReferencePlan::on_coded(FrameNumber number, const PlannedFrame& frame) {
  if (frame.is_sync_point()) {
    first_ = number;
    group_.clear();
  }
  group_.push_back({frame.temporal_class, frame.frames_back});
}

void ReferencePlan::on_lost(FrameNumber number) {
  if (number < first_ || number.value() - first_.value() >= length()) return;
  const auto lost = static_cast<std::size_t>(number.value() - first_.value());
  if (!group_[lost].sound) return;
  group_[lost].sound = false;
  for (std::size_t later = lost + 1; later < group_.size(); ++later) {
    for (const std::uint8_t back : group_[later].frames_back) {
      if (!group_[later - back].sound) group_[later].sound = false;
    }
  }
}

}  // namespace qvid::media
