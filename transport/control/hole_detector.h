// A lost segment holds back what came after it: one P-ACK then covers what was written over most
// of a round trip. A few marks of (time, bytes written) are enough to see that.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/units.h"

namespace paceline {

class HoleDetector {
 public:
  void on_written(std::int64_t total, qvid::Timestamp now, qvid::Duration spacing) {
    if (count_ > 0) {
      const Mark& newest = marks_[(first_ + count_ - 1) % kMarks];
      if (now < newest.at + spacing) return;
    }
    if (count_ == kMarks) {
      first_ = (first_ + 1) % kMarks;
      --count_;
    }
    marks_[(first_ + count_++) % kMarks] = {total, now};
  }
  // Over what time the newly acknowledged bytes, up to `total`, had been written; the last of them
  // at `newest`.
  qvid::Duration on_acked(std::int64_t total, qvid::Timestamp newest) {
    qvid::Duration span{};
    while (count_ > 0 && marks_[first_].total <= total) {
      span = std::max(span, newest - marks_[first_].at);
      first_ = (first_ + 1) % kMarks;
      --count_;
    }
    return span;
  }
  void clear() { count_ = 0; }
  // When the oldest behind the first `total` bytes that is not acknowledged was written, or later;
  // `now` where all is.
  qvid::Timestamp oldest_behind(std::int64_t total, qvid::Timestamp now) const {
    for (std::size_t i = 0; i < count_; ++i) {
      const Mark& mark = marks_[(first_ + i) % kMarks];
      if (mark.total > total) return mark.at;
    }
    return now;
  }

 private:
  struct Mark {
    std::int64_t total;
    qvid::Timestamp at;
  };
  static constexpr std::size_t kMarks = 64;
  std::array<Mark, kMarks> marks_{};
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace paceline
