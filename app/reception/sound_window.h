// For how long packets of sound are of use here, as the sender is told: it gives up what would come
// later. It follows what playing has come to need:
//
//   up     at once, where more is needed by over kNotable
//   down   once less has been needed, by over kNotable, for kCalm
//
// A packet that was given up too early is a gap that is heard; one that comes too late costs its
// bytes only. So what was needed in the last kCalm counts.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/units.h"

namespace qvid::app {

class SoundWindow {
 public:
  // What senders take for granted until they are told, and the least.
  static constexpr Duration kFirst = std::chrono::milliseconds(500);
  static constexpr Duration kMost = std::chrono::seconds(10);          // as both protocols have it
  static constexpr Duration kNotable = std::chrono::milliseconds(40);  // two packets
  static constexpr Duration kCalm = std::chrono::seconds(10);

  Duration now() const { return window_; }

  // `needed`: by what is played now; call it now and then. True: the sender is to be told now().
  bool follow(Duration needed, Timestamp now) {
    needed = std::clamp(needed, kFirst, kMost);
    if (needed >= window_ - kNotable) {
      calm_since_.reset();
    } else if (!calm_since_) {
      calm_since_ = now;
    }
    const bool calm = calm_since_ && now - *calm_since_ >= kCalm;
    if (needed <= window_ + kNotable && !calm) return false;
    calm_since_.reset();
    window_ = needed;
    return true;
  }

 private:
  Duration window_ = kFirst;
  std::optional<Timestamp> calm_since_;
};

}  // namespace qvid::app
