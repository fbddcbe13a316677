// How much of its window a sender uses: the most that was outstanding within the last one to two
// seconds. Source: pipeACK of RFC 7661 section 4.2.
#pragma once

#include <algorithm>
#include <optional>

#include "base/units.h"

namespace paceline {

class UsedWindow {
 public:
  // Longer than a group of pictures of the temporal layers; frames are bursts.
  static constexpr qvid::Duration kPeriod = std::chrono::seconds(1);

  void on_outstanding(double bytes, qvid::Timestamp now) {
    if (!began_) began_ = now;
    if (now >= *began_ + kPeriod) {
      // After a longer rest nothing of before counts.
      before_ = now >= *began_ + 2 * kPeriod ? 0 : now_;
      now_ = 0;
      began_ = now;
      whole_ = true;
    }
    now_ = std::max(now_, bytes);
  }
  // Bytes; empty before a whole period was seen.
  std::optional<double> most() const {
    if (!whole_) return std::nullopt;
    return std::max(before_, now_);
  }
  double so_far() const { return std::max(before_, now_); }
  void forget() { *this = {}; }

 private:
  double before_ = 0;  // the whole period before this one
  double now_ = 0;
  std::optional<qvid::Timestamp> began_;
  bool whole_ = false;
};

}  // namespace paceline
