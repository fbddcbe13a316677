// Which bytes of a message have come, or were acknowledged: half-open ranges in order, that touch
// nowhere. Pure.
//
// Bound: kMost ranges; what would make one more is not taken (its bytes come again).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace paceline {

class ByteRanges {
 public:
  static constexpr std::size_t kMost =
      160;  // of 64 KiB, in parts of 512 bytes at the least, copies 256
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool operator==(const Range&) const = default;
  };

  // How many of these bytes are new. Precondition: begin <= end.
  std::size_t add(std::size_t begin, std::size_t end) {
    if (begin == end) return 0;
    const auto first =
        std::ranges::lower_bound(ranges_, begin, {}, [](const Range& r) { return r.end; });
    auto last = first;
    std::size_t had = 0;
    Range joined{begin, end};
    for (; last != ranges_.end() && last->begin <= end; ++last) {
      had += std::min(end, last->end) - std::min(end, std::max(begin, last->begin));
      joined.begin = std::min(joined.begin, last->begin);
      joined.end = std::max(joined.end, last->end);
    }
    if (first == last) {
      if (ranges_.size() >= kMost) return 0;
      ranges_.insert(first, joined);
    } else {
      *first = joined;
      ranges_.erase(first + 1, last);
    }
    const std::size_t added = end - begin - had;
    bytes_ += added;
    return added;
  }
  // The first part of [begin, end) that is not here; empty (begin == end) where all is.
  Range missing(std::size_t begin, std::size_t end) const {
    for (const Range& r : ranges_) {
      if (r.end <= begin) continue;
      if (r.begin > begin) return {begin, std::min(end, r.begin)};
      begin = std::min(end, r.end);
    }
    return {begin, end};
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<Range> ranges_;
  std::size_t bytes_ = 0;
};

}  // namespace paceline
