// Any bytes as a frame header of each codec: refused, or built the same again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "media/codec/layers/frame_header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid::media;
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const CodecKind codec : {CodecKind::kH264, CodecKind::kAv1}) {
    const auto header = parse_frame_header(bytes, codec);
    if (!header) continue;
    const auto again = build_frame_header(*header);
    if (!std::ranges::equal(again.bytes(), bytes)) std::abort();
  }
  return 0;
}
