#include "media/codec/av1/av1_header.h"

#include <string>
#include <vector>

#include "base/byte_io.h"

namespace qvid::media {
namespace {

constexpr std::uint8_t kFullRange = 0x04;
constexpr std::uint8_t kBt709 = 0x08;
constexpr std::uint8_t kSync = 0x10;
constexpr std::uint8_t kReserved = 0xE3;

}  // namespace

Payload build_av1_header(const Av1Header& header) {
  unsigned flags = 0;
  if (header.range == ColorRange::kFull) flags |= kFullRange;
  if (header.matrix == ColorMatrix::kBt709) flags |= kBt709;
  if (header.sync) flags |= kSync;
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.u8(kAv1Kind);
  out.u8(static_cast<std::uint8_t>(flags));
  out.u16(static_cast<std::uint16_t>(header.size.width));
  out.u16(static_cast<std::uint16_t>(header.size.height));
  return Payload::copy_of(bytes);
}

Result<Av1Header> parse_av1_header(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  const std::uint8_t kind = in.u8();
  const std::uint8_t flags = in.u8();
  Av1Header header;
  header.size.width = in.u16();
  header.size.height = in.u16();
  if (in.failed()) return Error{"av1 header: too short"};
  if (in.remaining() != 0) return Error{"av1 header: bytes after its end"};
  if (kind != kAv1Kind) return Error{"av1 header: kind " + std::to_string(kind) + " is not AV1's"};
  if ((flags & kReserved) != 0) return Error{"av1 header: reserved bits are set"};
  if (!is_supported(header.size)) {
    return Error{"av1 header: a picture of " + std::to_string(header.size.width) + "x" +
                 std::to_string(header.size.height) + " is not supported"};
  }
  header.range = (flags & kFullRange) != 0 ? ColorRange::kFull : ColorRange::kLimited;
  header.matrix = (flags & kBt709) != 0 ? ColorMatrix::kBt709 : ColorMatrix::kBt601;
  header.sync = (flags & kSync) != 0;
  return header;
}

}  // namespace qvid::media
