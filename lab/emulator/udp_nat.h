// A network address translator before one end of a link, for UDP over IPv4. What this end sends comes
// from a port of the translator's, and what comes to that port goes to this end. At given times it
// forgets: from then on the end's ports are others, and what comes to the old ones goes nowhere (RFC
// 4787 section 4.3: a mapping lives as long as something goes, some as little as half a minute).
//
// Addresses stay as they are. Bound: a set of at most 65,536 ports. Pure. Thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "base/units.h"

namespace qvid::lab {

class UdpNat {
 public:
  // Since the link's begin, in any order.
  explicit UdpNat(std::vector<Duration> forgets);

  // What this end sends, `since` the link's begin. Other packets stay as they are, as below.
  void send(std::span<std::byte> packet, Duration since);
  // What comes to it. False: nobody is behind that port.
  [[nodiscard]] bool receive(std::span<std::byte> packet, Duration since);

 private:
  void forget_where_due(Duration since);

  std::vector<Duration> forgets_;  // still to come, the next one last
  std::uint16_t shift_ = 0;        // of the ports, as they are outside
  bool knows_all_ = true;          // it has forgotten nothing yet
  std::set<std::uint16_t> known_;  // ports inside
};

}  // namespace qvid::lab
