// Any bytes as a coded frame of AV1: what is read of it lies within it.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "media/codec/av1/av1_frame_bits.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid::media;
  const auto bits = read_av1_frame_bits(std::as_bytes(std::span(data, size)));
  if (!bits) return 0;
  if (bits->begins >= size) std::abort();
  if (bits->primary < 0 || bits->primary > Av1FrameBits::kNoPrimary) std::abort();
  return 0;
}
