// Which numbers have come: each is to be taken once, whichever way brings it first, however often (the
// window of RFC 4303 section 3.4.3). Any numbers are harmless. Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>

namespace paceline {

// `Size` numbers: what is further behind the highest is not taken.
template <std::uint64_t Size>
class DuplicateFilterOf {
 public:
  static constexpr std::uint64_t kSize = Size;

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
  // One above the highest that has come.
  std::uint64_t next() const { return next_; }
  // Precondition: number < next() <= number + kSize.
  bool has(std::uint64_t number) const { return taken_.test(number % kSize); }

 private:
  std::uint64_t next_ = 0;
  std::bitset<kSize> taken_;
};

// Of messages on lanes and by datagrams.
using DuplicateFilter = DuplicateFilterOf<1024>;

}  // namespace paceline
