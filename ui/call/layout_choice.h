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
  // Whether anybody is pinned now, and whether anybody shares.
  void follow(bool pinned, bool shared) {
    const bool begins = (pinned && !pinned_) || (shared && !shared_);
    if (begins && mode_ != LayoutMode::kSpeaker) {
      before_ = std::exchange(mode_, LayoutMode::kSpeaker);
    }
    if (!pinned && !shared && before_) mode_ = *std::exchange(before_, std::nullopt);
    pinned_ = pinned;
    shared_ = shared;
  }
  // As the caller has it while nobody is.
  LayoutMode chosen() const { return before_.value_or(mode_); }

 private:
  LayoutMode mode_ = LayoutMode::kGrid;
  std::optional<LayoutMode> before_;  // to go back to
  bool pinned_ = false;
  bool shared_ = false;
};

}  // namespace qvid::ui
