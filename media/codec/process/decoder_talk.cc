#include "media/codec/process/decoder_talk.h"

#include <algorithm>
#include <utility>

#include "base/byte_io.h"
#include "base/text.h"

namespace qvid::media {
namespace {

enum class Answer : std::uint8_t { kReady, kNothing, kFailed, kPicture };

constexpr std::size_t kMostText = 400;  // bytes

std::vector<std::byte> text_answer(Answer kind, const std::string& text) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  const std::size_t size = std::min(text.size(), kMostText);
  out.u16(static_cast<std::uint16_t>(1 + size));
  out.u8(static_cast<std::uint8_t>(kind));
  out.bytes(std::as_bytes(std::span(text)).first(size));
  return bytes;
}

void write_size(ByteWriter& out, PictureSize size) {
  out.u16(static_cast<std::uint16_t>(size.width));
  out.u16(static_cast<std::uint16_t>(size.height));
}

PictureSize read_size(ByteReader& in) {
  const int width = in.u16();
  const int height = in.u16();
  return {width, height};
}

struct BuildAnswer {
  std::vector<std::byte> operator()(const DecoderReady& ready) const {
    return text_answer(Answer::kReady, ready.unconfined);
  }
  std::vector<std::byte> operator()(const NothingDecoded&) const {
    return text_answer(Answer::kNothing, {});
  }
  std::vector<std::byte> operator()(const DecodeFailed& failed) const {
    return text_answer(Answer::kFailed, failed.why);
  }
  std::vector<std::byte> operator()(const PictureInStore& picture) const {
    std::vector<std::byte> body;
    ByteWriter out(body);
    out.u8(static_cast<std::uint8_t>(Answer::kPicture));
    out.u64(static_cast<std::uint64_t>(picture.number.value()));
    out.u8(picture.layer);
    out.u8(picture.layers);
    out.u8(static_cast<std::uint8_t>(picture.failed.to_ulong()));
    out.u8(picture.range == ColorRange::kFull ? 1 : 0);
    out.u8(picture.matrix == ColorMatrix::kBt709 ? 1 : 0);
    write_size(out, picture.nominal);
    write_size(out, picture.shown);
    for (const PlaneInStore& plane : picture.planes) {
      out.u64(plane.offset);
      out.u32(plane.stride);
    }
    std::vector<std::byte> whole;
    ByteWriter(whole).u16(static_cast<std::uint16_t>(body.size()));
    whole.insert(whole.end(), body.begin(), body.end());
    return whole;
  }
};

bool lies_within(const PlaneInStore& plane, int width, int height, std::size_t store_bytes) {
  const auto row = static_cast<std::uint64_t>(width);
  if (plane.stride < row || plane.stride > store_bytes) return false;
  // Below 2^32 * 2^12.
  const std::uint64_t size = std::uint64_t{plane.stride} * static_cast<unsigned>(height - 1) + row;
  return size <= store_bytes && plane.offset <= store_bytes - size;
}

Result<DecoderAnswer> read_picture(ByteReader& in, std::size_t store_bytes) {
  PictureInStore picture;
  const std::uint64_t number = in.u64();
  picture.layer = in.u8();
  picture.layers = in.u8();
  picture.failed = in.u8();
  const std::uint8_t full_range = in.u8();
  const std::uint8_t bt709 = in.u8();
  picture.nominal = read_size(in);
  picture.shown = read_size(in);
  for (PlaneInStore& plane : picture.planes) {
    plane.offset = in.u64();
    plane.stride = in.u32();
  }
  if (in.failed() || in.remaining() > 0) return Error{"a picture of another length"};
  if (picture.layers > kMaxUnits || picture.layer >= picture.layers) {
    return Error{"a layer that there is not"};
  }
  if (full_range > 1 || bt709 > 1) return Error{"colours that there are not"};
  const PictureSize shown = picture.shown;
  if (!is_supported(picture.nominal) || shown.width < 1 || shown.height < 1 ||
      shown.width > picture.nominal.width || shown.height > picture.nominal.height) {
    return Error{"a picture of a size that there is not"};
  }
  for (std::size_t p = 0; p < picture.planes.size(); ++p) {
    const int scale = p == 0 ? 1 : 2;
    if (!lies_within(picture.planes[p], (shown.width + scale - 1) / scale,
                     (shown.height + scale - 1) / scale, store_bytes)) {
      return Error{"a picture outside the memory for pictures"};
    }
  }
  picture.number = FrameNumber(static_cast<std::int64_t>(number));
  picture.range = full_range != 0 ? ColorRange::kFull : ColorRange::kLimited;
  picture.matrix = bt709 != 0 ? ColorMatrix::kBt709 : ColorMatrix::kBt601;
  return DecoderAnswer(picture);
}

}  // namespace

std::vector<std::byte> build_request(const DecodeRequest& request) {
  const ReceivedFrame& frame = request.frame;
  std::size_t size = 64 + 4 * request.released.size() + frame.header.size();
  for (const CodedUnit& unit : frame.units) size += 8 + unit.data.size();
  if (size > kMostRequest) return {};
  std::vector<std::byte> body;
  body.reserve(size);
  ByteWriter out(body);
  out.u32(0);  // its size
  out.u32(request.id);
  out.u64(static_cast<std::uint64_t>(frame.number.value()));
  out.u8(static_cast<std::uint8_t>(request.released.size()));
  for (const std::uint32_t id : request.released) out.u32(id);
  out.u32(static_cast<std::uint32_t>(frame.header.size()));
  out.bytes(frame.header.bytes());
  out.u8(static_cast<std::uint8_t>(frame.units.size()));
  for (const CodedUnit& unit : frame.units) {
    out.u8(unit.layer);
    out.u32(static_cast<std::uint32_t>(unit.data.size()));
    out.bytes(unit.data.bytes());
  }
  std::vector<std::byte> length;
  ByteWriter(length).u32(static_cast<std::uint32_t>(body.size() - 4));
  std::copy(length.begin(), length.end(), body.begin());
  return body;
}

Result<DecodeRequest> parse_request(std::span<const std::byte> body) {
  ByteReader in(body);
  DecodeRequest request;
  request.id = in.u32();
  request.frame.number = FrameNumber(static_cast<std::int64_t>(in.u64()));
  request.released.resize(in.u8());
  for (std::uint32_t& id : request.released) id = in.u32();
  request.frame.header = Payload::copy_of(in.bytes(in.u32()));
  request.frame.units.resize(in.u8());
  for (CodedUnit& unit : request.frame.units) {
    unit.layer = in.u8();
    unit.data = Payload::copy_of(in.bytes(in.u32()));
  }
  if (in.failed() || in.remaining() > 0) return Error{"a malformed request"};
  return request;
}

std::vector<std::byte> build_answer(const DecoderAnswer& answer) {
  return std::visit(BuildAnswer(), answer);
}

Result<DecoderAnswer> parse_answer(std::span<const std::byte> body, std::size_t store_bytes) {
  ByteReader in(body);
  const std::uint8_t kind = in.u8();
  if (in.failed()) return Error{"an empty answer"};
  const auto text = [&in] {
    const auto bytes = in.rest();
    return printable({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  switch (static_cast<Answer>(kind)) {
    case Answer::kReady: return DecoderAnswer(DecoderReady{text()});
    case Answer::kFailed: return DecoderAnswer(DecodeFailed{text()});
    case Answer::kNothing:
      if (in.remaining() > 0) return Error{"an answer of another length"};
      return DecoderAnswer(NothingDecoded{});
    case Answer::kPicture: return read_picture(in, store_bytes);
  }
  return Error{"an answer that there is not"};
}

}  // namespace qvid::media
