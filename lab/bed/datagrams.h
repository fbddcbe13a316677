// Units cut into datagrams and put together again, for transports that do not do it themselves.
//
//   unit's header (adu.h)  index (2)  count (2)  filler
//
// Bounded: of the units that are incomplete, the newest kMostPending are kept.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "lab/bed/adu.h"

namespace qvid::lab {

inline constexpr std::size_t kDatagramHeader = Adu::kHeader + 4;

// Datagrams of at most `most` bytes, header included. Precondition: most > kDatagramHeader.
std::vector<std::vector<std::byte>> cut(const Adu& adu, std::size_t most);

class Collector {
 public:
  static constexpr std::size_t kMostPending = 1024;

  // The unit of which this was the last datagram that was missing.
  std::optional<Adu> on_datagram(std::span<const std::byte> datagram);

 private:
  struct Pending {
    Adu adu;
    std::vector<bool> seen;
    std::size_t missing = 0;
  };
  std::deque<Pending> pending_;
};

}  // namespace qvid::lab
