// Whether one is large or all are equal: as the caller has chosen; while somebody is pinned, one,
// unless it was chosen otherwise since. Pure.
#pragma once

#include <optional>
#include <utility>

#include "ui/call/grid_layout.h"

namespace qvid::ui {

class LayoutChoice {
 public:
  LayoutMode mode() const { return mode_; }
  void set(LayoutMode mode) {
    mode_ = mode;
    before_pin_.reset();
  }
  void toggle() { set(mode_ == LayoutMode::kGrid ? LayoutMode::kSpeaker : LayoutMode::kGrid); }
  // Whether any is pinned now.
  void follow(bool pinned) {
    if (pinned && !pinned_) before_pin_ = std::exchange(mode_, LayoutMode::kSpeaker);
    if (!pinned && before_pin_) mode_ = *std::exchange(before_pin_, std::nullopt);
    pinned_ = pinned;
  }

 private:
  LayoutMode mode_ = LayoutMode::kGrid;
  std::optional<LayoutMode> before_pin_;  // to go back to
  bool pinned_ = false;
};

}  // namespace qvid::ui
