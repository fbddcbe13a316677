#include "media/codec/h264_header.h"

#include <string>
#include <vector>

#include "base/byte_io.h"

namespace qvid::media {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kClassMask = 0x03;
constexpr std::uint8_t kFullRange = 0x04;
constexpr std::uint8_t kBt709 = 0x08;
constexpr std::array<std::uint8_t, kH264Layers> kSync = {0x10, 0x20};
constexpr std::uint8_t kReserved = 0xC0;

bool is_valid_low(PictureSize low, PictureSize nominal) {
  return low.width >= kMinSide / 2 && low.height >= kMinSide / 2 && low.width <= nominal.width &&
         low.height <= nominal.height;
}

}  // namespace

Payload build_h264_header(const H264Header& header) {
  unsigned flags = static_cast<unsigned>(header.temporal_class);
  if (header.range == ColorRange::kFull) flags |= kFullRange;
  if (header.matrix == ColorMatrix::kBt709) flags |= kBt709;
  for (std::size_t layer = 0; layer < kH264Layers; ++layer) {
    if (header.sync[layer]) flags |= kSync[layer];
  }
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.u8(kVersion);
  out.u8(static_cast<std::uint8_t>(flags));
  for (const PictureSize& size : {header.nominal, header.low}) {
    out.u16(static_cast<std::uint16_t>(size.width));
    out.u16(static_cast<std::uint16_t>(size.height));
  }
  return Payload::copy_of(bytes);
}

Result<H264Header> parse_h264_header(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  const std::uint8_t version = in.u8();
  const std::uint8_t flags = in.u8();
  H264Header header;
  for (PictureSize* size : {&header.nominal, &header.low}) {
    size->width = in.u16();
    size->height = in.u16();
  }
  if (in.failed()) return Error{"h264 header: too short"};
  if (in.remaining() != 0) return Error{"h264 header: bytes after its end"};
  if (version != kVersion) {
    return Error{"h264 header: version " + std::to_string(version) + " is not known"};
  }
  if ((flags & kReserved) != 0) return Error{"h264 header: reserved bits are set"};
  if ((flags & kClassMask) > static_cast<unsigned>(TemporalClass::kT2)) {
    return Error{"h264 header: no such temporal class"};
  }
  if (!is_supported(header.nominal) || header.nominal.width % 2 != 0 ||
      header.nominal.height % 2 != 0) {
    return Error{"h264 header: a picture of " + size_text(header.nominal) + " is not supported"};
  }
  if (!is_valid_low(header.low, header.nominal)) {
    return Error{"h264 header: a low layer of " + size_text(header.low) + " does not go with " +
                 size_text(header.nominal)};
  }
  header.temporal_class = static_cast<TemporalClass>(flags & kClassMask);
  header.range = (flags & kFullRange) != 0 ? ColorRange::kFull : ColorRange::kLimited;
  header.matrix = (flags & kBt709) != 0 ? ColorMatrix::kBt709 : ColorMatrix::kBt601;
  for (std::size_t layer = 0; layer < kH264Layers; ++layer) {
    header.sync[layer] = (flags & kSync[layer]) != 0;
  }
  return header;
}

}  // namespace qvid::media
