#include "media/stored/layered_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <variant>

#include "base/byte_io.h"
#include "media/source/test_source.h"
#include "media/unit/unit_wire.h"

namespace qvid::media {
namespace {

constexpr std::string_view kTrailerMagic = "QVIX";
constexpr std::uint16_t kWithoutSound = 1;
constexpr std::uint16_t kWithSound = 2;
constexpr std::uint32_t kSoundBit = 1U << 31;
constexpr std::size_t kCodecName = 16;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

bool equal(std::span<const std::byte> bytes, std::string_view text) {
  return std::ranges::equal(bytes, bytes_of(text));
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
}

bool is_rate(std::uint32_t numerator, std::uint32_t denominator) {
  if (numerator == 0 || numerator > FrameRate::kMaxNumerator || denominator == 0 ||
      denominator > FrameRate::kMaxDenominator) {
    return false;
  }
  const double rate = static_cast<double>(numerator) / denominator;
  return rate >= kLowestRate && rate <= kHighestRate;
}

}  // namespace

std::optional<FileIdentity> identify(const std::filesystem::path& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return std::nullopt;
  return FileIdentity{static_cast<std::uint64_t>(about.st_size),
                      std::int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec};
}

void write_layered_header(const LayeredFileHeader& header, std::vector<std::byte>& out) {
  ByteWriter to(out);
  to.bytes(bytes_of(kLayeredMagic));
  to.u16(header.sound ? kWithSound : kWithoutSound);
  std::string codec = header.codec;
  codec.resize(kCodecName);
  to.bytes(bytes_of(codec));
  to.u32(static_cast<std::uint32_t>(header.rate.numerator));
  to.u32(static_cast<std::uint32_t>(header.rate.denominator));
  to.u16(static_cast<std::uint16_t>(header.size.width));
  to.u16(static_cast<std::uint16_t>(header.size.height));
  to.u64(static_cast<std::uint64_t>(header.frames));
  to.u64(static_cast<std::uint64_t>(header.base_bytes.value()));
  to.u64(static_cast<std::uint64_t>(header.total_bytes.value()));
  to.u64(header.original.size);
  to.u64(static_cast<std::uint64_t>(header.original.modified));
}

void write_layered_entry(const LayeredFileEntry& entry, std::vector<std::byte>& out) {
  ByteWriter to(out);
  to.u64(static_cast<std::uint64_t>(entry.number));
  to.u64(entry.offset);
}

void write_layered_trailer(const LayeredFileTrailer& trailer, std::vector<std::byte>& out) {
  ByteWriter to(out);
  to.u64(trailer.index_offset);
  to.u32(trailer.entries);
  to.bytes(bytes_of(kTrailerMagic));
}

Result<std::vector<std::byte>> build_layered_frame(const CodedFrame& frame, std::int64_t number) {
  const WireFrame wire = serialise(frame);
  std::size_t size = 8 + 1;
  const auto count = [&size](const Payload& part) {
    size += varint_size(part.size()) + part.size();
  };
  count(wire.header);
  std::ranges::for_each(wire.units, count);
  if (size > kMaxLayeredFrame.size()) {
    return Error{"a frame of " + std::to_string(size) + " bytes is more than a file may have"};
  }
  std::vector<std::byte> out;
  out.reserve(4 + size);
  ByteWriter to(out);
  to.u32(static_cast<std::uint32_t>(size));
  to.u64(static_cast<std::uint64_t>(number));
  to.u8(static_cast<std::uint8_t>(frame.temporal_class));
  const auto write = [&to](const Payload& part) {
    to.varint(part.size());
    to.bytes(part.bytes());
  };
  write(wire.header);
  std::ranges::for_each(wire.units, write);
  return out;
}

Result<std::vector<std::byte>> build_layered_sound(const SoundPacket& packet) {
  const Payload message = serialise(packet);
  if (message.byte_count() > kMaxLayeredSound) {
    return Error{"a sound packet of " + std::to_string(message.size()) +
                 " bytes is more than a file may have"};
  }
  std::vector<std::byte> out;
  out.reserve(kLayeredRecordPrefix + message.size());
  ByteWriter to(out);
  to.u32(kSoundBit | static_cast<std::uint32_t>(message.size()));
  to.bytes(message.bytes());
  return out;
}

Result<LayeredRecord> parse_layered_prefix(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  const std::uint32_t word = in.u32();
  const LayeredRecord record{(word & kSoundBit) != 0, word & ~kSoundBit};
  const ByteCount most = record.sound ? kMaxLayeredSound : kMaxLayeredFrame;
  if (in.failed() || record.size > most.size()) return Error{"a record is longer than can be"};
  return record;
}

Result<LayeredFileHeader> parse_layered_header(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  if (!equal(in.bytes(kLayeredMagic.size()), kLayeredMagic))
    return Error{"it is no prepared video"};
  const auto version = in.u16();
  if (version != kWithoutSound && version != kWithSound) {
    return Error{"it is of version " + std::to_string(version) + "; prepare it again"};
  }
  LayeredFileHeader header;
  header.sound = version == kWithSound;
  const auto codec = in.bytes(kCodecName);
  header.codec.assign(reinterpret_cast<const char*>(codec.data()), codec.size());
  header.codec.erase(std::min(header.codec.find('\0'), header.codec.size()));
  const std::uint32_t numerator = in.u32();
  const std::uint32_t denominator = in.u32();
  header.size.width = in.u16();
  header.size.height = in.u16();
  const std::uint64_t frames = in.u64();
  const std::uint64_t base = in.u64();
  const std::uint64_t total = in.u64();
  header.original.size = in.u64();
  header.original.modified = static_cast<std::int64_t>(in.u64());
  constexpr auto kMost = static_cast<std::uint64_t>(ByteCount::max().value());
  if (in.failed() || !is_name(header.codec) || !is_rate(numerator, denominator) ||
      !is_supported(header.size) || base > total || total > kMost) {
    return Error{"its header is damaged"};
  }
  if (frames == 0 || frames > static_cast<std::uint64_t>(kMaxLayeredFrames)) {
    return Error{"it has no frames"};
  }
  header.rate = {static_cast<std::int32_t>(numerator), static_cast<std::int32_t>(denominator)};
  header.frames = static_cast<std::int64_t>(frames);
  header.base_bytes = ByteCount(static_cast<std::int64_t>(base));
  header.total_bytes = ByteCount(static_cast<std::int64_t>(total));
  return header;
}

Result<LayeredFileTrailer> parse_layered_trailer(std::span<const std::byte> bytes,
                                                 std::uint64_t file_size) {
  ByteReader in(bytes);
  LayeredFileTrailer trailer;
  trailer.index_offset = in.u64();
  trailer.entries = in.u32();
  if (!equal(in.bytes(kTrailerMagic.size()), kTrailerMagic)) return Error{"its end is missing"};
  const std::uint64_t index_size = std::uint64_t{trailer.entries} * kLayeredEntrySize;
  if (trailer.entries == 0 || trailer.entries > kMaxLayeredEntries ||
      trailer.index_offset < kLayeredHeaderSize || trailer.index_offset > file_size ||
      file_size - trailer.index_offset != index_size + kLayeredTrailerSize) {
    return Error{"its index is not where it should be"};
  }
  return trailer;
}

Result<std::vector<LayeredFileEntry>> parse_layered_index(std::span<const std::byte> bytes,
                                                          const LayeredFileTrailer& trailer,
                                                          const LayeredFileHeader& header) {
  std::vector<LayeredFileEntry> entries;
  entries.reserve(trailer.entries);
  ByteReader in(bytes);
  for (std::uint32_t i = 0; i < trailer.entries; ++i) {
    const std::uint64_t number = in.u64();
    const std::uint64_t offset = in.u64();
    const bool first = entries.empty();
    const bool follows = first ? number == 0 && offset == kLayeredHeaderSize
                               : number > static_cast<std::uint64_t>(entries.back().number) &&
                                     offset > entries.back().offset;
    if (in.failed() || !follows || number >= static_cast<std::uint64_t>(header.frames) ||
        offset >= trailer.index_offset) {
      return Error{"its index is damaged"};
    }
    entries.push_back({static_cast<std::int64_t>(number), offset});
  }
  return entries;
}

Result<CodedFrame> parse_layered_frame(const Payload& record, std::int64_t number) {
  ByteReader in(record.bytes());
  const std::uint64_t found = in.u64();
  const std::uint8_t temporal_class = in.u8();
  const auto part = [&]() -> std::optional<Payload> {
    const std::uint64_t size = in.varint();
    if (in.failed() || size > in.remaining()) return std::nullopt;
    const Payload message =
        record.slice(record.size() - in.remaining(), static_cast<std::size_t>(size));
    in.bytes(static_cast<std::size_t>(size));
    return message;
  };
  const Error damaged{"frame " + std::to_string(number) + " is damaged"};
  if (found != static_cast<std::uint64_t>(number) ||
      temporal_class > static_cast<std::uint8_t>(TemporalClass::kT2)) {
    return damaged;
  }
  CodedFrame frame;
  frame.temporal_class = static_cast<TemporalClass>(temporal_class);
  const FrameNumber at(number);
  const auto header = part();
  if (!header) return damaged;
  auto parsed = parse_frame_message(header_position(at), *header);
  const auto* meta = parsed ? std::get_if<FrameHeaderMessage>(&*parsed) : nullptr;
  if (meta == nullptr || meta->units == 0) return damaged;
  frame.header = meta->codec_header;
  for (std::uint8_t layer = 0; layer < meta->units; ++layer) {
    const auto message = part();
    if (!message) return damaged;
    auto unit = parse_frame_message(unit_position(at, layer), *message);
    if (!unit) return damaged;
    auto& of = std::get<UnitMessage>(*unit).unit;
    // Nothing refers to what is before the file.
    if (std::ranges::any_of(of.depends_on, [&](const auto& d) { return d.frames_back > number; })) {
      return damaged;
    }
    frame.units.push_back(std::move(of));
  }
  if (in.failed() || in.remaining() > 0) return damaged;
  return frame;
}

std::filesystem::path prepared_path(const std::filesystem::path& original) {
  std::filesystem::path path = original;
  path += kPreparedExtension;
  return path;
}

}  // namespace qvid::media
