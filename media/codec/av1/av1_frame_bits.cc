#include "media/codec/av1/av1_frame_bits.h"

#include "media/codec/bit_io.h"

namespace qvid::media {
namespace {

constexpr std::uint32_t kTemporalDelimiter = 2;  // 6.2.2, obu_type
constexpr std::uint32_t kFrameHeader = 3;
constexpr std::uint32_t kFrame = 6;
constexpr std::uint32_t kKeyFrame = 0;  // 6.8.2, frame_type
constexpr std::uint32_t kIntraOnly = 2;
constexpr std::uint32_t kSwitchFrame = 3;

// 4.10.5: seven bits a byte, the lowest first.
std::uint64_t leb128(BitReader& in) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t byte = in.bits(8);
    value |= (byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

Result<Av1FrameBits> read_header(BitReader& in) {
  Av1FrameBits frame;
  if (in.flag()) return Error{"av1: a frame that only shows another"};
  const std::uint32_t type = in.bits(2);
  if (!in.flag()) return Error{"av1: a frame that is not shown"};
  const bool key = type == kKeyFrame;
  const bool resilient = type == kSwitchFrame || key || in.flag();
  in.flag();                            // disable_cdf_update
  if (in.flag()) in.flag();             // screen content tools: whole motion vectors
  if (type != kSwitchFrame) in.flag();  // frame_size_override_flag
  if (type != kIntraOnly && !resilient) frame.primary = static_cast<int>(in.bits(3));
  frame.refreshed = key || type == kSwitchFrame ? 0xff : static_cast<std::uint8_t>(in.bits(8));
  if (in.failed()) return Error{"av1: a frame's header ends early"};
  return frame;
}

}  // namespace

Result<Av1FrameBits> read_av1_frame_bits(std::span<const std::byte> unit) {
  std::size_t at = 0;
  std::size_t begins = 0;
  while (at < unit.size()) {
    BitReader in(unit.subspan(at));
    in.flag();  // forbidden
    const std::uint32_t type = in.bits(4);
    const bool extended = in.flag();
    const bool sized = in.flag();
    in.flag();  // reserved
    if (extended) in.bits(8);
    if (!sized) return Error{"av1: a piece without its size"};
    const std::uint64_t size = leb128(in);
    const std::size_t head = in.position() / 8;
    if (in.failed() || size > unit.size() - at - head) return Error{"av1: a piece is cut off"};
    if (type == kFrame || type == kFrameHeader) {
      auto frame = read_header(in);
      if (frame) frame->begins = begins;
      return frame;
    }
    at += head + static_cast<std::size_t>(size);
    if (type == kTemporalDelimiter) begins = at;
  }
  return Error{"av1: no frame"};
}

}  // namespace qvid::media
