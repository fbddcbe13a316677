// A packet on its way through an emulated link: the bytes of one IP packet.
#pragma once

#include <cstddef>
#include <vector>

#include "base/units.h"

namespace qvid::lab {

struct Packet {
  std::vector<std::byte> bytes;
  Timestamp arrived{};  // at the link's queue
  Timestamp due{};      // at the far end; set when the link has sent it

  ByteCount size() const { return ByteCount::of(bytes.size()); }
};

}  // namespace qvid::lab
