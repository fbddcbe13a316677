// Which messages on lanes have come: each is to be taken once, whichever channel brings it first
// (the window of RFC 4303 section 3.4.3). Any numbers are harmless. Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>

namespace paceline {

class DuplicateFilter {
 public:
  static constexpr std::uint64_t kSize = 1024;  // numbers; what is further behind is not taken

  // True: it has not come before.
  bool take(std::uint64_t number) {
    if (number >= next_) {
      const std::uint64_t ahead = std::min(number + 1 - next_, kSize);
      for (std::uint64_t i = 0; i < ahead; ++i) taken_.reset((number - i) % kSize);
      next_ = number + 1;
    } else if (next_ - number > kSize || taken_.test(number % kSize)) {
      return false;
    }
    taken_.set(number % kSize);
    return true;
  }

 private:
  std::uint64_t next_ = 0;  // above the highest that has come
  std::bitset<kSize> taken_;
};

}  // namespace paceline
