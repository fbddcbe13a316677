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
    pin_ = {.on = pin_.on};
    share_ = {.on = share_.on};
  }
  void toggle() { set(mode_ == LayoutMode::kGrid ? LayoutMode::kSpeaker : LayoutMode::kGrid); }
  // Whether anybody is pinned now, and whether anybody shares.
  void follow(bool pinned, bool shared) {
    follow(pin_, pinned, share_);
    follow(share_, shared, pin_);
  }
  // As the caller has it while nobody is.
  LayoutMode chosen() const { return pin_.before.value_or(share_.before.value_or(mode_)); }

 private:
  struct Cause {
    bool on = false;
    bool counts = false;                 // the caller has not chosen since
    std::optional<LayoutMode> before{};  // to go back to
  };
  void follow(Cause& cause, bool on, Cause& other) {
    if (on && !cause.on) {
      cause.counts = true;
      if (mode_ != LayoutMode::kSpeaker) cause.before = std::exchange(mode_, LayoutMode::kSpeaker);
    }
    if (!on && cause.before) {
      const LayoutMode before = *std::exchange(cause.before, std::nullopt);
      (other.counts ? other.before.emplace() : mode_) = before;
    }
    cause.on = on;
    cause.counts = cause.counts && on;
  }

  LayoutMode mode_ = LayoutMode::kGrid;
  Cause pin_;
  Cause share_;
};

}  // namespace qvid::ui
