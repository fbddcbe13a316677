// Any bytes as a frame header of the codec `h264`: refused, or built the same again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "media/codec/h264_header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid::media;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto header = parse_h264_header(bytes);
  if (!header) return 0;
  const auto again = build_h264_header(*header);
  if (!std::ranges::equal(again.bytes(), bytes)) std::abort();
  return 0;
}
