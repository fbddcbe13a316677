#include "media/stored/layered_file_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace qvid::media {

Result<std::unique_ptr<LayeredFileSource>> LayeredFileSource::open(
    const std::filesystem::path& path) {
  // Not blocked by what is no file: a pipe, say.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return Error{"cannot open " + path.string() + ": " + std::strerror(errno)};
  std::unique_ptr<LayeredFileSource> source(new LayeredFileSource(path, descriptor));
  if (auto error = source->read_all_about_it()) return *std::move(error);
  return source;
}

LayeredFileSource::~LayeredFileSource() { ::close(descriptor_); }

std::optional<Error> LayeredFileSource::read_all_about_it() {
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) return damaged("it is no file");
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (size < kLayeredHeaderSize + kLayeredTrailerSize) return damaged("it is too short");

  std::array<std::byte, kLayeredHeaderSize> start{};
  if (auto error = read(0, start)) return error;
  auto header = parse_layered_header(start);
  if (!header) return damaged(header.error().message);
  std::array<std::byte, kLayeredTrailerSize> end{};
  if (auto error = read(size - end.size(), end)) return error;
  const auto trailer = parse_layered_trailer(end, size);
  if (!trailer) return damaged(trailer.error().message);
  std::vector<std::byte> index(trailer->entries * kLayeredEntrySize);
  if (auto error = read(trailer->index_offset, index)) return error;
  auto entries = parse_layered_index(index, *trailer, *header);
  if (!entries) return damaged(entries.error().message);

  header_ = *std::move(header);
  entries_ = *std::move(entries);
  frames_end_ = trailer->index_offset;
  offset_ = entries_.front().offset;
  return std::nullopt;
}

StoredInfo LayeredFileSource::info() const {
  StoredInfo info;
  info.codec = header_.codec;
  info.rate = header_.rate;
  info.size = header_.size;
  info.duration = header_.duration();
  info.prepared = true;
  info.sound = header_.sound;
  info.base_rate = DataRate::of(header_.base_bytes, info.duration);
  info.total_rate = DataRate::of(header_.total_bytes, info.duration);
  return info;
}

Result<std::variant<CodedFrame, EndOfStream>> LayeredFileSource::next(std::stop_token stop) {
  if (stop.stop_requested()) return {EndOfStream{}};
  sound_.clear();
  // None is left but where it could not be read before.
  if (auto error = read_sound()) return *std::move(error);
  if (offset_ == frames_end_) return {EndOfStream{}};
  if (place_ == header_.frames) return damaged("it has more frames than it says");
  const auto prefix = read_prefix();
  if (!prefix) return prefix.error();
  PayloadBuilder record(prefix->size);
  if (auto error = read(offset_ + kLayeredRecordPrefix, record.bytes())) return *std::move(error);
  auto frame = parse_layered_frame(std::move(record).take(), place_);
  if (!frame) return damaged(frame.error().message);
  frame->number = number_;
  frame->due = Timestamp(header_.rate.time_of(place_));
  frame->captured = frame->due;
  offset_ += kLayeredRecordPrefix + prefix->size;
  ++place_;
  number_ = number_.next();
  (void)read_sound();  // what is wrong with it is told by the next call
  return {*std::move(frame)};
}

Result<LayeredRecord> LayeredFileSource::read_prefix() const {
  std::array<std::byte, kLayeredRecordPrefix> bytes{};
  if (frames_end_ - offset_ < bytes.size()) return damaged("its frames do not end at its index");
  if (auto error = read(offset_, bytes)) return *std::move(error);
  auto record = parse_layered_prefix(bytes);
  if (!record || record->size > frames_end_ - offset_ - bytes.size() ||
      (record->sound && !header_.sound)) {
    return damaged("what follows frame " + std::to_string(place_) + " is longer than can be");
  }
  return record;
}

std::optional<Error> LayeredFileSource::read_sound() {
  while (header_.sound && offset_ != frames_end_) {
    const auto prefix = read_prefix();
    if (!prefix) return prefix.error();
    if (!prefix->sound) return std::nullopt;
    const std::string where = "the sound before frame " + std::to_string(place_);
    if (sound_.size() == kMaxLayeredSounds) return damaged(where + " is more than can be");
    PayloadBuilder record(prefix->size);
    if (auto error = read(offset_ + kLayeredRecordPrefix, record.bytes())) return error;
    auto packet = parse_sound_packet(std::move(record).take());
    if (!packet) return damaged(where + " is damaged");
    sound_.push_back(*std::move(packet));
    offset_ += kLayeredRecordPrefix + prefix->size;
  }
  return std::nullopt;
}

Result<Duration> LayeredFileSource::seek(Duration to, std::stop_token stop) {
  if (stop.stop_requested()) return Error{"stopped"};
  const auto after = std::ranges::upper_bound(
      entries_, to, {},
      [this](const LayeredFileEntry& entry) { return header_.rate.time_of(entry.number); });
  const LayeredFileEntry& entry = after == entries_.begin() ? *after : *std::prev(after);
  offset_ = entry.offset;
  place_ = entry.number;
  sound_.clear();
  return header_.rate.time_of(place_);
}

std::optional<Error> LayeredFileSource::read(std::uint64_t offset,
                                             std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{"cannot read " + path_.string() + ": " + std::strerror(errno)};
    if (got == 0) return damaged("it is cut off");
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return std::nullopt;
}

Error LayeredFileSource::damaged(const std::string& how) const {
  return {"the prepared video " + path_.string() + " cannot be used: " + how};
}

bool is_layered_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  std::array<char, 8> start{};
  const bool whole = ::pread(descriptor, start.data(), start.size(), 0) == 8;
  ::close(descriptor);
  return whole && std::string_view(start.data(), start.size()) == kLayeredMagic;
}

}  // namespace qvid::media
