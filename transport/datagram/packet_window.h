// Which of the peer's datagrams have come: each is taken once (a recorded one that is played again is
// not), and an acknowledgement names the newest ranges. Pure. Thread: one at a time.
#pragma once

#include "transport/datagram/datagram_frame.h"
#include "transport/wire/duplicate_filter.h"

namespace paceline {

class PacketWindow : public DuplicateFilterOf<2048> {
 public:
  // The newest ranges, of the last kDepth numbers; what is further behind was acknowledged often.
  // Precondition: something has come.
  DatagramAck ack() const {
    DatagramAck ack;
    const std::uint64_t least = next() > kDepth ? next() - kDepth : 0;
    std::uint64_t n = next();
    while (n > least && ack.count < DatagramAck::kMost) {
      while (n > least && !has(n - 1)) --n;
      if (n == least) break;
      const std::uint64_t last = n - 1;
      while (n > least && has(n - 1)) --n;
      ack.ranges[ack.count++] = {.first = n, .last = last};
    }
    return ack;
  }

 private:
  static constexpr std::uint64_t kDepth = 256;
};

}  // namespace paceline
