// How much of its window a sender uses: the most that was outstanding within the last one to two
// seconds; and how much it sends. Source: pipeACK of RFC 7661 section 4.2.
#pragma once

#include <algorithm>
#include <optional>

#include "base/units.h"

namespace paceline {

class UsedWindow {
 public:
  // Longer than a group of pictures of the temporal layers; frames are bursts.
  static constexpr qvid::Duration kPeriod = std::chrono::seconds(1);

  // `written`: of these, just now.
  void on_outstanding(double bytes, double written, qvid::Timestamp now) {
    if (!began_) began_ = now;
    if (now >= *began_ + kPeriod) {
      // After a longer rest nothing of before counts.
      const bool rested = now >= *began_ + 2 * kPeriod;
      before_ = rested ? 0 : now_;
      written_before_ = rested ? 0 : written_;
      now_ = written_ = 0;
      began_ = now;
      whole_ = true;
    }
    now_ = std::max(now_, bytes);
    written_ += written;
  }
  // Bytes; empty before a whole period was seen.
  std::optional<double> most() const {
    if (!whole_) return std::nullopt;
    return std::max(before_, now_);
  }
  // Bytes a second, the most of the two periods.
  double rate() const { return std::max(written_before_, written_) / qvid::to_seconds(kPeriod); }
  void forget() { *this = {}; }

 private:
  double before_ = 0;  // the whole period before this one
  double now_ = 0;
  double written_before_ = 0;
  double written_ = 0;
  std::optional<qvid::Timestamp> began_;
  bool whole_ = false;
};

}  // namespace paceline
