// Any bytes as frames for the decoder of the codec `av1`.
//
// The input is a list of frames: a byte of flags (bit 0: the header is a sound one of 64x48, in
// which bit 1 says that the units are synchronisation points; else six bytes of header follow, with
// bit 3 ten; bit 2: there are two layers, with bit 4 three), then each unit as a 16-bit length and its bytes. What does
// not fit is cut off.
#include <algorithm>
#include <cstdint>
#include <span>

#include "base/byte_io.h"
#include "media/codec/av1/av1_decoder.h"
#include "tests/fuzz/decoded_picture.h"
#include "tests/media/heap_pictures.h"

namespace {

constexpr std::size_t kAv1HeaderBytes = 6;
constexpr std::size_t kAv1LongHeaderBytes = 10;
constexpr std::int64_t kMostAv1Frames = 32;  // keeps one input short

qvid::Payload take(qvid::ByteReader& in, std::size_t size) {
  return qvid::Payload::copy_of(in.bytes(std::min(size, in.remaining())));
}

qvid::Payload sound_header(std::size_t layers, bool sync) {
  using namespace qvid::media;
  FrameHeader header{.codec = CodecKind::kAv1, .nominal = {64, 48}, .low = {64, 48}};
  header.three = layers == 3;
  if (layers > 1) header.low = header.three ? PictureSize{16, 12} : PictureSize{32, 24};
  for (std::size_t layer = 0; layer < layers; ++layer) header.sync[layer] = sync;
  return build_frame_header(header);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid;
  using namespace qvid::media;
  HeapPictures pictures;
  Av1Decoder decoder(size % 2 != 0 ? &pictures : nullptr);
  ByteReader in(std::as_bytes(std::span(data, size)));
  for (std::int64_t n = 0; n < kMostAv1Frames && in.remaining() > 0; ++n) {
    const unsigned flags = in.u8();
    const std::size_t layers = (flags & 4) == 0 ? 1 : (flags & 16) == 0 ? 2 : 3;
    ReceivedFrame frame;
    frame.number = FrameNumber(n);
    frame.header = (flags & 1) != 0
                       ? sound_header(layers, (flags & 2) != 0)
                       : take(in, (flags & 8) != 0 ? kAv1LongHeaderBytes : kAv1HeaderBytes);
    for (std::uint8_t layer = 0; layer < layers; ++layer) {
      CodedUnit unit;
      unit.layer = layer;
      const std::size_t length = in.u16();
      unit.data = take(in, length);
      frame.units.push_back(std::move(unit));
    }
    touch_corners(decoder.decode(frame));
  }
  return 0;
}
