// Any bytes as frames for the decoder of the codec `h264`.
//
// The input is a list of frames: a byte of flags (bit 0: the header is a sound one of 64x48, in
// which bits 3, 4 say that L, H are synchronisation points, bit 6 that there are three layers, and bit 7
// that of the third; else ten bytes of header follow; bits 1, 2, 5: the first, second, third layer
// comes), then each unit as a 16-bit length and its bytes. What does not fit is cut off.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/byte_io.h"
#include "media/codec/decoder.h"
#include "media/codec/layers/frame_header.h"
#include "tests/fuzz/decoded_picture.h"
#include "tests/media/heap_pictures.h"

namespace {

constexpr std::size_t kH264HeaderBytes = 10;
constexpr std::int64_t kMostH264Frames = 32;  // keeps one input short

qvid::Payload sound_header(unsigned flags) {
  qvid::media::FrameHeader header;
  header.nominal = {64, 48};
  header.three = (flags & 64) != 0;
  header.low = header.three ? qvid::media::PictureSize{16, 12} : qvid::media::PictureSize{32, 24};
  header.sync = {(flags & 8) != 0, (flags & 16) != 0, (flags & 128) != 0 && header.three};
  return qvid::media::build_frame_header(header);
}

qvid::Payload take(qvid::ByteReader& in, std::size_t size) {
  return qvid::Payload::copy_of(in.bytes(std::min(size, in.remaining())));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid;
  using namespace qvid::media;
  HeapPictures pictures;
  auto decoder = make_decoder("h264", size % 2 != 0 ? &pictures : nullptr);
  if (!decoder) std::abort();
  ByteReader in(std::as_bytes(std::span(data, size)));
  for (std::int64_t n = 0; n < kMostH264Frames && in.remaining() > 0; ++n) {
    const unsigned flags = in.u8();
    ReceivedFrame frame;
    frame.number = FrameNumber(n);
    frame.header = (flags & 1) != 0 ? sound_header(flags) : take(in, kH264HeaderBytes);
    for (std::uint8_t layer = 0; layer < kMostLayers; ++layer) {
      // Of the third layer: bit 5, the first two: 1, 2.
      if ((flags >> (layer < 2 ? layer + 1 : 5) & 1) == 0) continue;
      CodedUnit unit;
      unit.layer = layer;
      const std::size_t length = in.u16();
      unit.data = take(in, length);
      frame.units.push_back(std::move(unit));
    }
    touch_corners((*decoder)->decode(frame));
  }
  return 0;
}
