// Durations counted in bins that grow with them: percentiles to a sixty-fourth, in little memory.
//
// Bins are of microseconds: below 128 of one each, then 64 for each doubling. Bound: kMostBins;
// what is longer than 19 hours counts with that.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace qvid {

class DurationHistogram {
 public:
  // Negative durations, as of clocks that differ, count as zero.
  void add(Duration d) {
    d = std::max(d, Duration::zero());
    const std::size_t bin = bin_of(d);
    if (bin >= bins_.size()) bins_.resize(bin + 1);
    ++bins_[bin];
    ++count_;
    sum_ += static_cast<double>(d.count());
    most_ = std::max(most_, d);
  }
  void add(const DurationHistogram& other) {
    if (other.bins_.size() > bins_.size()) bins_.resize(other.bins_.size());
    for (std::size_t i = 0; i < other.bins_.size(); ++i) bins_[i] += other.bins_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    most_ = std::max(most_, other.most_);
  }
  void clear() { *this = {}; }

  std::int64_t count() const { return count_; }
  Duration most() const { return most_; }  // exact
  Duration sum() const { return nanoseconds(sum_); }
  // Zero where there are none.
  Duration mean() const {
    return count_ == 0 ? Duration() : nanoseconds(sum_ / static_cast<double>(count_));
  }
  // What `share` (0..1) of all do not exceed, or up to a sixty-fourth more; zero where there are
  // none.
  Duration percentile(double share) const {
    const auto rank = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count_))));
    std::int64_t seen = 0;
    for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
      seen += bins_[bin];
      if (seen >= rank) return std::min(most_, end_of(bin));
    }
    return most_;
  }
  // How many did not exceed `most`, as exactly.
  std::int64_t count_up_to(Duration most) const {
    std::int64_t seen = 0;
    const std::size_t end = std::min(bin_of(std::max(most, Duration::zero())) + 1, bins_.size());
    for (std::size_t bin = 0; bin < end; ++bin) seen += bins_[bin];
    return seen;
  }

 private:
  static constexpr int kStepBits = 6;
  static constexpr std::size_t kSteps = std::size_t{1} << kStepBits;
  static constexpr double kMost = 9e18;  // ns; a Duration holds little more
  static constexpr std::size_t kMostBins = (36 - kStepBits + 1) * kSteps;

  static Duration nanoseconds(double ns) {
    return Duration(static_cast<Duration::rep>(std::min(ns, kMost)));
  }
  static std::size_t bin_of(Duration d) {
    const auto us = static_cast<std::uint64_t>(d / std::chrono::microseconds(1));
    const int shift = std::max(0, static_cast<int>(std::bit_width(us)) - kStepBits - 1);
    return std::min(
        static_cast<std::size_t>(shift) * kSteps + static_cast<std::size_t>(us >> shift),
        kMostBins - 1);
  }
  static Duration end_of(std::size_t bin) {
    const std::size_t shift = bin < 2 * kSteps ? 0 : bin / kSteps - 1;
    return std::chrono::microseconds((bin - shift * kSteps + 1) << shift);
  }

  std::vector<std::int64_t> bins_;  // up to that of the longest
  std::int64_t count_ = 0;
  double sum_ = 0;  // ns
  Duration most_{};
};

}  // namespace qvid
