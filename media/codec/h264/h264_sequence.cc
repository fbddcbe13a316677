#include "media/codec/h264/h264_sequence.h"

#include <algorithm>
#include <string>

#include "media/codec/bit_io.h"

namespace qvid::media {
namespace {

constexpr std::uint32_t kLevelReferences = 16;    // of any level (A.3.1)
constexpr std::uint32_t kMostMacroblocks = 1024;  // of a side: far beyond every level
constexpr int kMacroblock = 16;
// Beside the references: the picture in the making, and the one that was given.
constexpr int kMorePictures = 2;

bool has_chroma_format(std::uint32_t profile) {
  constexpr std::uint32_t kProfiles[] = {100, 110, 122, 244, 44, 83, 86, 118, 128};
  return std::ranges::find(kProfiles, profile) != std::end(kProfiles);
}

}  // namespace

int h264_type_of(std::span<const std::byte> nal) {
  return std::to_integer<int>(nal[0] & std::byte{31});
}

std::vector<std::span<const std::byte>> h264_nals(std::span<const std::byte> stream) {
  std::vector<std::span<const std::byte>> nals;
  std::optional<std::size_t> from;
  const auto close = [&](std::size_t end) {
    // Zeros before a start code belong to no NAL unit, whose last byte is never zero.
    while (from && end > *from && stream[end - 1] == std::byte{0}) --end;
    if (from && end > *from) nals.push_back(stream.subspan(*from, end - *from));
  };
  for (std::size_t i = 0; i + 3 <= stream.size(); ++i) {
    if (stream[i] != std::byte{0} || stream[i + 1] != std::byte{0} ||
        stream[i + 2] != std::byte{1}) {
      continue;
    }
    close(i);
    from = i + 3;
    i += 2;
  }
  close(stream.size());
  return nals;
}

bool h264_is_reference(std::span<const std::byte> stream) {
  for (const auto nal : h264_nals(stream)) {
    const int type = h264_type_of(nal);
    if (type == kSliceNal || type == kIdrNal) return (nal[0] & std::byte{0x60}) != std::byte{0};
  }
  return false;
}

std::vector<std::byte> h264_unescaped(std::span<const std::byte> nal) {
  std::vector<std::byte> out;
  out.reserve(nal.size());
  int zeros = 0;
  for (const std::byte b : nal) {
    if (zeros >= 2 && b == std::byte{3}) {
      zeros = 0;
      continue;
    }
    zeros = b == std::byte{0} ? zeros + 1 : 0;
    out.push_back(b);
  }
  while (!out.empty() && out.back() == std::byte{0}) out.pop_back();
  return out;
}

ByteCount H264Sequence::memory() const {
  const std::int64_t pixels = std::int64_t{coded.width} * coded.height;
  return ByteCount(pixels * 3 / 2 * (references + kMorePictures));
}

Result<H264Sequence> parse_h264_sequence(std::span<const std::byte> nal) {
  const std::vector<std::byte> raw = h264_unescaped(nal);
  BitReader in(raw);
  in.bits(8);
  const std::uint32_t profile = in.bits(8);
  in.bits(16);  // constraints, level
  in.ue();
  if (has_chroma_format(profile)) {
    const std::uint32_t chroma_format = in.ue();
    const std::uint32_t luma_depth = in.ue();
    const std::uint32_t chroma_depth = in.ue();
    in.flag();
    if (chroma_format != 1 || luma_depth != 0 || chroma_depth != 0 || in.flag()) {
      return Error{"a stream that is not 8-bit 4:2:0, or has scaling matrices"};
    }
  }
  const std::uint32_t frame_num_bits = in.ue() + 4;
  H264Sequence sequence;
  sequence.order_type = in.ue();
  if (sequence.order_type == 0) {
    const std::uint32_t order_bits = in.ue() + 4;
    if (order_bits > 16) return Error{"a malformed sequence parameter set"};
    sequence.order_bits = static_cast<int>(order_bits);
  } else if (sequence.order_type == 1) {
    in.flag();
    in.se();
    in.se();
    const std::uint32_t cycle = in.ue();
    if (cycle > 255) return Error{"a malformed sequence parameter set"};
    for (std::uint32_t i = 0; i < cycle; ++i) in.se();
  }
  const std::uint32_t references = in.ue();
  in.flag();  // gaps allowed
  const std::uint32_t width = in.ue() + 1;
  const std::uint32_t height = in.ue() + 1;  // of a field, where there are any
  sequence.frames_only = in.flag();
  if (in.failed() || frame_num_bits > 16 || references > kLevelReferences ||
      width > kMostMacroblocks || height > kMostMacroblocks) {
    return Error{"a malformed sequence parameter set"};
  }
  sequence.frame_num_bits = static_cast<int>(frame_num_bits);
  sequence.references = static_cast<int>(references);
  sequence.coded = {static_cast<int>(width) * kMacroblock,
                    static_cast<int>(height) * kMacroblock * (sequence.frames_only ? 1 : 2)};
  return sequence;
}

Result<std::optional<ByteCount>> h264_memory_of(std::span<const std::byte> unit, PictureSize size,
                                                int slack) {
  std::optional<ByteCount> most;
  for (const auto nal : h264_nals(unit)) {
    if (h264_type_of(nal) != kSpsNal) continue;
    const auto sequence = parse_h264_sequence(nal);
    if (!sequence) return sequence.error();
    const PictureSize coded = sequence->coded;
    if (coded.width >= size.width + slack || coded.height >= size.height + slack) {
      return Error{"pictures of " + size_text(coded) + " where the header says " + size_text(size)};
    }
    most = std::max(most.value_or(ByteCount()), sequence->memory());
  }
  return most;
}

}  // namespace qvid::media
