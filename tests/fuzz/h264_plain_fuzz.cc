// Any bytes as units of a layer that is recorded: refused, or made a plain stream. What is made of
// a key frame is plain already: made again it is the same.
//
// Input: units, each as  steps:u8 dependencies:u8 frames_back:u8 * dependencies  size:u16  data.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/byte_io.h"
#include "media/codec/h264/h264_plain.h"

namespace {

using namespace qvid;
using namespace qvid::media;

constexpr int kMostUnits = 200;

void again(const H264Plain& plain, const PlainPicture& picture) {
  std::vector<std::byte> whole = plain.parameters().sets;
  whole.insert(whole.end(), picture.data.begin(), picture.data.end());
  CodedUnit unit;
  unit.data = Payload::copy_of(whole);
  // Key frames in turn have one identifier or the other.
  H264Plain other;
  bool same = false;
  for (int i = 0; i < 2; ++i) {
    const auto made = other.add(FrameNumber(i), unit);
    if (!made || other.parameters().sets != plain.parameters().sets) std::abort();
    same = same || made->data == picture.data;
  }
  if (!same) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteReader in(std::as_bytes(std::span(data, size)));
  H264Plain plain;
  FrameNumber number(0);
  for (int i = 0; i < kMostUnits && in.remaining() > 0; ++i) {
    number = FrameNumber(number.value() + static_cast<std::int8_t>(in.u8()));
    CodedUnit unit;
    const int dependencies = in.u8() % 4;
    for (int d = 0; d < dependencies; ++d) unit.depends_on.push_back({.frames_back = in.u8()});
    const std::size_t bytes = in.u16();
    unit.data = Payload::copy_of(in.bytes(std::min(bytes, in.remaining())));
    const auto picture = plain.add(number, unit);
    if (!picture) continue;
    if (picture->key != unit.is_sync_point()) std::abort();
    if (picture->key) again(plain, *picture);
  }
  return 0;
}
