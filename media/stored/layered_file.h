// The prepared form of a stored video: its layered frames and its sound in a file, with an index of
// the places where it can be entered. docs/stored-video.md has it as a drawing.
//
//   file     := header frame (sound | frame)* index trailer         integers big-endian
//   header   := "QVIDFILE" version:u16 codec:16 rate:u32,u32 size:u16,u16 frames:u64
//               base_bytes:u64 bytes:u64 original_size:u64 original_modified:u64
//   frame    := size:u32 number:u64 class:u8 part+                  size: of what follows it
//   part     := size:varint message              media/unit/unit_wire.h: the header, then each unit
//   sound    := 1:bit size:31 packet             media/sound/sound_packet.h; `captured`: its place
//   index    := entry*                           the frames that are synchronisation points in
//   entry    := number:u64 offset:u64            every layer; the first frame is one
//   trailer  := index_offset:u64 entries:u32 "QVIX"
//
// Frame k is at rate.time_of(k), k = 0, 1 .. without gaps; a message's times are not used.
//
// Sound lies kSoundBehind (media/stored/stored_source.h) behind the frames of its place, so that
// who enters at a frame meets what Opus has to decode before. Version 2 has sound, version 1 has
// none: readers of before sound take what they can play.
//
// Pure: parsers take any bytes and give an Error for what is malformed. A file is read with the
// limits here checked before memory is taken.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/video_frame.h"
#include "media/sound/sound_packet.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

inline constexpr std::string_view kLayeredMagic = "QVIDFILE";
inline constexpr std::size_t kLayeredHeaderSize = 8 + 2 + 16 + 8 + 4 + 5 * 8;
inline constexpr std::size_t kLayeredTrailerSize = 16;
inline constexpr std::size_t kLayeredEntrySize = 16;
// A frame of the largest picture at the highest bitrate is far below.
inline constexpr ByteCount kMaxLayeredFrame = 32_MiB;
// Of one second each: three days. 4 MiB of memory.
inline constexpr std::uint32_t kMaxLayeredEntries = 256 * 1024;
inline constexpr std::int64_t kMaxLayeredFrames = std::int64_t{1} << 32;
// A packet of sound; at 64 kbit/s it is 160 bytes.
inline constexpr ByteCount kMaxLayeredSound = 4_KiB;
// Between two frames: a second of the shortest packets.
inline constexpr std::size_t kMaxLayeredSounds = 400;

// What tells one version of a file from another.
struct FileIdentity {
  std::uint64_t size = 0;     // bytes
  std::int64_t modified = 0;  // ns since 1970
  bool operator==(const FileIdentity&) const = default;
};
// Empty where it cannot be had.
std::optional<FileIdentity> identify(const std::filesystem::path& path);

struct LayeredFileHeader {
  std::string codec{};  // at most 16 letters, digits, - and _
  FrameRate rate{};
  PictureSize size{};
  std::int64_t frames = 0;
  ByteCount base_bytes{};   // headers and layer 0
  ByteCount total_bytes{};  // headers and all layers
  FileIdentity original{};  // what it was made of
  bool sound = false;       // it has sound, or may have

  Duration duration() const { return rate.time_of(frames); }
};
// Where a file can be entered.
struct LayeredFileEntry {
  std::int64_t number = 0;   // of the frame
  std::uint64_t offset = 0;  // of its record in the file
};
struct LayeredFileTrailer {
  std::uint64_t index_offset = 0;
  std::uint32_t entries = 0;
};

// Append to `out`. Preconditions: the limits above.
void write_layered_header(const LayeredFileHeader& header, std::vector<std::byte>& out);
void write_layered_entry(const LayeredFileEntry& entry, std::vector<std::byte>& out);
void write_layered_trailer(const LayeredFileTrailer& trailer, std::vector<std::byte>& out);
// The whole record, its size in front; Error where it is larger than kMaxLayeredFrame.
Result<std::vector<std::byte>> build_layered_frame(const CodedFrame& frame, std::int64_t number);
Result<std::vector<std::byte>> build_layered_sound(const SoundPacket& packet);

// What a record is by its first four bytes.
struct LayeredRecord {
  bool sound = false;
  std::uint32_t size = 0;  // of what follows
};
inline constexpr std::size_t kLayeredRecordPrefix = 4;
// Error: more than such a record may have.
Result<LayeredRecord> parse_layered_prefix(std::span<const std::byte> bytes);

// `bytes`: the first kLayeredHeaderSize of a file.
Result<LayeredFileHeader> parse_layered_header(std::span<const std::byte> bytes);
// `bytes`: the last kLayeredTrailerSize of a file of `file_size` bytes. What it gives lies within
// the file.
Result<LayeredFileTrailer> parse_layered_trailer(std::span<const std::byte> bytes,
                                                 std::uint64_t file_size);
// `bytes`: the index. What it gives rises, begins with frame 0 and lies before the index.
Result<std::vector<LayeredFileEntry>> parse_layered_index(std::span<const std::byte> bytes,
                                                          const LayeredFileTrailer& trailer,
                                                          const LayeredFileHeader& header);
// `record`: a frame without its leading size; `number` must be in it. The units share the record's
// bytes. `number`, `captured` and `due` of the frame are left for the caller.
Result<CodedFrame> parse_layered_frame(const Payload& record, std::int64_t number);

// "clip.mkv" -> "clip.mkv.qvid": where the prepared form of a file is looked for.
std::filesystem::path prepared_path(const std::filesystem::path& original);
inline constexpr const char* kPreparedExtension = ".qvid";
// Of one that is being written.
inline constexpr const char* kUnfinishedExtension = ".part";

}  // namespace qvid::media
