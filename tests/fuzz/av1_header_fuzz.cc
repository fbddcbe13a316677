// Any bytes as a frame header of the codec `av1`: refused, or built the same again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "media/codec/av1/av1_header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid::media;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto header = parse_av1_header(bytes);
  if (!header) return 0;
  const auto again = build_av1_header(*header);
  if (!std::ranges::equal(again.bytes(), bytes)) std::abort();
  return 0;
}
