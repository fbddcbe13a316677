#include "media/playout/playout_delay.h"

#include <algorithm>
#include <array>

#include "media/unit/timeline_frames.h"

namespace qvid::media {

PlayoutDelay::Slot& PlayoutDelay::slot_at(Timestamp now) {
  if (!slots_.empty() && now < slots_.back().began) slots_.clear();  // our clock was set back
  if (slots_.empty() || now >= slots_.back().began + kSlot) {
    slots_.push_back({.began = now});
    if (slots_.size() > kSmoothSlots) slots_.pop_front();
  }
  return slots_.back();
}

void PlayoutDelay::on_base(Duration need, Timestamp now) {
  Slot& slot = slot_at(now);
  slot.base = std::max(slot.base, need);
}

void PlayoutDelay::on_whole(Duration need, Timestamp now) {
  Slot& slot = slot_at(now);
  slot.whole = std::max(slot.whole, need);
}

void PlayoutDelay::on_decoded(Duration took, Timestamp now) {
  Slot& slot = slot_at(now);
  slot.decoding = std::max(slot.decoding, took);
}

void PlayoutDelay::on_offset_risen(Duration by) {
  if (std::chrono::abs(by) > kStep) slots_.clear();
  for (Slot& slot : slots_) {
    slot.base -= by;
    slot.whole -= by;
  }
}

Duration PlayoutDelay::over_slots(Duration Slot::*value) const {
  if (slots_.empty()) return {};
  if (mode_ == PlayoutMode::kSmooth) {
    Duration most{};
    for (const Slot& slot : slots_) most = std::max(most, slot.*value);
    return most;
  }
  std::array<Duration, kSlots> latest{};
  const std::size_t count = std::min(slots_.size(), kSlots);
  for (std::size_t i = 0; i < count; ++i) latest[i] = slots_[slots_.size() - 1 - i].*value;
  // Of fewer in proportion.
  const auto rank = latest.begin() + static_cast<std::ptrdiff_t>((count - 1) / 3);
  std::nth_element(latest.begin(), rank, latest.begin() + static_cast<std::ptrdiff_t>(count));
  return *rank;
}

Duration PlayoutDelay::base_need() const { return over_slots(&Slot::base); }
Duration PlayoutDelay::whole_need() const { return over_slots(&Slot::whole); }

Duration PlayoutDelay::decoding() const {
  return std::min(over_slots(&Slot::decoding), kMostDecoding) + kMargin;
}

Duration PlayoutDelay::most() const {
  return mode_ == PlayoutMode::kFixed ? rate_.time_of(kSetupFrames + window_ + kDecodeFrames)
                                      : rate_.time_of(kSetupFrames + window_) + decoding();
}

Duration PlayoutDelay::target() const {
  if (mode_ == PlayoutMode::kFixed) return most();
  const Duration base = base_need();
  const Duration whole = std::min(whole_need(), base + rate_.frame_time());
  return std::clamp(std::max(base, whole) + decoding(), Duration::zero(), most());
}

}  // namespace qvid::media
