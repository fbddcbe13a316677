// Durations counted in bins that grow with them: percentiles within a sixteenth, in fixed memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace qvid::lab {

class Histogram {
 public:
  // Negative durations count as zero.
  void add(Duration d) {
    const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, d.count()));
    ++bins_[bin_of(ns)];
    ++count_;
    sum_ += static_cast<double>(ns);
    worst_ = std::max(worst_, d);
  }
  std::uint64_t count() const { return count_; }
  Duration worst() const { return worst_; }
  // Zero where there are none.
  Duration mean() const {
    if (count_ == 0) return {};
    return Duration(static_cast<std::int64_t>(sum_ / static_cast<double>(count_)));
  }
  // The duration that `share` (0 to 1) of all do not exceed, or up to a sixteenth more.
  Duration percentile(double share) const {
    const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
      seen += bins_[bin];
      if (seen >= rank && seen > 0) return std::min(worst_, largest_in(bin));
    }
    return worst_;
  }

 private:
  static constexpr int kStepBits = 4;  // 16 bins for each power of two
  static constexpr std::size_t kSteps = std::size_t{1} << kStepBits;

  // Values below 2·kSteps have a bin each; then kSteps bins for [2^n, 2^(n+1)).
  static std::size_t bin_of(std::uint64_t ns) {
    const int shift = std::max(0, static_cast<int>(std::bit_width(ns)) - kStepBits - 1);
    return static_cast<std::size_t>(shift) * kSteps + static_cast<std::size_t>(ns >> shift);
  }
  static Duration largest_in(std::size_t bin) {
    if (bin < 2 * kSteps) return Duration(static_cast<std::int64_t>(bin));
    const std::size_t shift = bin / kSteps - 1;
    return Duration(static_cast<std::int64_t>(((bin - shift * kSteps + 1) << shift) - 1));
  }

  std::array<std::uint64_t, (64 - kStepBits) * kSteps> bins_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;  // ns
  Duration worst_{};
};

}  // namespace qvid::lab
