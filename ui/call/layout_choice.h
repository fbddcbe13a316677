// Whether one is large or all are equal: as the caller has chosen; while somebody is pinned or shares,
// one, unless it was chosen otherwise since. Pure.
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
    before_.reset();
  }
  void toggle() { set(mode_ == LayoutMode::kGrid ? LayoutMode::kSpeaker : LayoutMode::kGrid); }
  // Whether any is to be large now.
  void follow(bool large) {
    if (large && !large_) before_ = std::exchange(mode_, LayoutMode::kSpeaker);
    if (!large && before_) mode_ = *std::exchange(before_, std::nullopt);
    large_ = large;
  }

 private:
  LayoutMode mode_ = LayoutMode::kGrid;
  std::optional<LayoutMode> before_;  // to go back to
  bool large_ = false;
};

}  // namespace qvid::ui
