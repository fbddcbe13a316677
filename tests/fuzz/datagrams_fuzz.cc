// Units of the lab's experiments as they come out of a rival's transport: headers, and datagrams
// that are to be put together. Input: pieces of a length byte and that many bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "lab/bed/datagrams.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid::lab;
  Collector collector;
  auto rest = std::as_bytes(std::span(data, size));
  while (!rest.empty()) {
    const std::size_t length = std::min(std::to_integer<std::size_t>(rest[0]), rest.size() - 1);
    const auto datagram = rest.subspan(1, length);
    rest = rest.subspan(1 + length);
    const auto unit = collector.on_datagram(datagram);
    if (unit && (unit->bytes < Adu::kHeader || unit->bytes > Adu::kMostBytes)) std::abort();
  }
  return 0;
}
