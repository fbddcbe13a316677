#include "media/codec/layers/frame_header.h"

#include <optional>
#include <string>
#include <vector>

#include "base/byte_io.h"
#include "media/picture/downscale.h"

namespace qvid::media {
namespace {

constexpr std::uint8_t kClassMask = 0x03;
constexpr std::uint8_t kFullRange = 0x04;
constexpr std::uint8_t kBt709 = 0x08;
constexpr std::array<std::uint8_t, kMostLayers> kSync = {0x10, 0x20, 0x40};
constexpr std::uint8_t kThree = 0x80;

PictureSize quarter_size(PictureSize size) { return half_size(half_size(size)); }

bool has_size_of_low(const FrameHeader& header) {
  return header.codec == CodecKind::kH264 || header.low != header.nominal;
}

void write_size(ByteWriter& out, PictureSize size) {
  out.u16(static_cast<std::uint16_t>(size.width));
  out.u16(static_cast<std::uint16_t>(size.height));
}

PictureSize read_size(ByteReader& in) {
  const int width = in.u16();
  return {width, in.u16()};
}

bool is_valid_nominal(const FrameHeader& header) {
  const bool even = header.nominal.width % 2 == 0 && header.nominal.height % 2 == 0;
  return is_supported(header.nominal) && (even || header.codec != CodecKind::kH264);
}

bool is_valid_low(const FrameHeader& header) {
  const PictureSize low = header.low;
  if (header.three && low != quarter_size(header.nominal)) return false;
  return low.width >= kMinSide / 2 && low.height >= kMinSide / 2 &&
         low.width <= header.nominal.width && low.height <= header.nominal.height;
}

// What is wrong with what was read.
std::optional<std::string> fault_of(const FrameHeader& header) {
  if (header.temporal_class > TemporalClass::kT2) return "no such temporal class";
  if (!is_valid_nominal(header)) {
    return "a picture of " + size_text(header.nominal) + " is not supported";
  }
  if (!is_valid_low(header)) {
    return "a low layer of " + size_text(header.low) + " does not go with " +
           size_text(header.nominal);
  }
  for (std::size_t layer = header.layers(); layer < kMostLayers; ++layer) {
    if (header.sync[layer]) return "a synchronisation point of a layer that there is not";
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(CodecKind codec) { return codec == CodecKind::kH264 ? "h264" : "av1"; }

PictureSize FrameHeader::size_of(std::size_t layer) const {
  if (layer == 0) return low;
  return layer + 1 < layers() ? half_size(nominal) : nominal;
}

Payload build_frame_header(const FrameHeader& header) {
  unsigned flags = static_cast<unsigned>(header.temporal_class);
  if (header.range == ColorRange::kFull) flags |= kFullRange;
  if (header.matrix == ColorMatrix::kBt709) flags |= kBt709;
  if (header.three) flags |= kThree;
  for (std::size_t layer = 0; layer < kMostLayers; ++layer) {
    if (header.sync[layer]) flags |= kSync[layer];
  }
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.u8(static_cast<std::uint8_t>(header.codec));
  out.u8(static_cast<std::uint8_t>(flags));
  write_size(out, header.nominal);
  if (has_size_of_low(header)) write_size(out, header.low);
  return Payload::copy_of(bytes);
}

Result<FrameHeader> parse_frame_header(std::span<const std::byte> bytes, CodecKind codec) {
  const auto wrong = [&](const std::string& what) {
    return Error{std::string(name_of(codec)) + " header: " + what};
  };
  ByteReader in(bytes);
  const std::uint8_t kind = in.u8();
  const std::uint8_t flags = in.u8();
  FrameHeader header{.codec = codec};
  header.nominal = header.low = read_size(in);
  if (in.failed()) return wrong("too short");
  if (kind != static_cast<std::uint8_t>(codec)) {
    return wrong("codec " + std::to_string(kind) + " is another");
  }
  const bool with_low = codec == CodecKind::kH264 || in.remaining() > 0;
  if (with_low) header.low = read_size(in);
  if (in.failed()) return wrong("too short");
  if (in.remaining() != 0) return wrong("bytes after its end");
  header.three = (flags & kThree) != 0;
  header.temporal_class = static_cast<TemporalClass>(flags & kClassMask);
  header.range = (flags & kFullRange) != 0 ? ColorRange::kFull : ColorRange::kLimited;
  header.matrix = (flags & kBt709) != 0 ? ColorMatrix::kBt709 : ColorMatrix::kBt601;
  for (std::size_t layer = 0; layer < kMostLayers; ++layer) {
    header.sync[layer] = (flags & kSync[layer]) != 0;
  }
  if (with_low && !has_size_of_low(header)) return wrong("a low layer of the nominal size");
  if (const auto fault = fault_of(header)) return wrong(*fault);
  return header;
}

}  // namespace qvid::media
