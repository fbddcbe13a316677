// Which of the peer's datagrams have come: each is taken once (a recorded one that is played again
// is not, RFC 4303 section 3.4.3), and an acknowledgement names the newest ranges. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>

#include "transport/datagram/datagram_frame.h"

namespace paceline {

class PacketWindow {
 public:
  static constexpr std::uint64_t kSize = 2048;  // numbers; what is further behind is not taken

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

  // The newest ranges, of the last kDepth numbers; what is further behind was acknowledged often.
  DatagramAck ack() const {
    DatagramAck ack;
    const std::uint64_t least = next_ > kDepth ? next_ - kDepth : 0;
    std::uint64_t n = next_;
    while (n > least && ack.count < DatagramAck::kMost) {
      while (n > least && !taken_.test((n - 1) % kSize)) --n;
      if (n == least) break;
      const std::uint64_t last = n - 1;
      while (n > least && taken_.test((n - 1) % kSize)) --n;
      ack.ranges[ack.count++] = {.first = n, .last = last};
    }
    return ack;
  }

 private:
  static constexpr std::uint64_t kDepth = 256;

  std::uint64_t next_ = 0;
  std::bitset<kSize> taken_;
};

}  // namespace paceline
