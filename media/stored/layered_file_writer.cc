#include "media/stored/layered_file_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace qvid::media {
namespace {

Error cannot_write(const std::filesystem::path& path, const std::string& why) {
  return {"cannot write " + path.string() + ": " + why};
}

}  // namespace

Result<std::unique_ptr<LayeredFileWriter>> LayeredFileWriter::create(
    const std::filesystem::path& path, LayeredFileHeader header) {
  std::filesystem::path unfinished = path;
  unfinished += kUnfinishedExtension;
  const int descriptor = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return cannot_write(path, std::strerror(errno));
  std::FILE* file = ::fdopen(descriptor, "wb");
  if (file == nullptr) {
    ::close(descriptor);
    return cannot_write(path, std::strerror(errno));
  }
  // From here on it closes the file; it removes it only when it is its own.
  std::unique_ptr<LayeredFileWriter> writer(
      new LayeredFileWriter(path, std::move(unfinished), std::move(header), file));
  struct stat own {};
  struct stat named {};
  const bool locked =
      ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &own) == 0 &&
      ::stat(writer->unfinished_.c_str(), &named) == 0 && own.st_ino == named.st_ino;
  if (!locked) {
    writer->finished_ = true;
    return cannot_write(path, "it is being written by another program");
  }
  if (::ftruncate(descriptor, 0) != 0) return writer->failed();
  std::vector<std::byte> bytes;
  write_layered_header(writer->header_, bytes);
  if (auto error = writer->write(bytes)) return *std::move(error);
  return writer;
}

LayeredFileWriter::~LayeredFileWriter() {
  if (!finished_) ::unlink(unfinished_.c_str());
}

std::optional<Error> LayeredFileWriter::add(const CodedFrame& frame) {
  auto record = build_layered_frame(frame, header_.frames);
  if (!record) return record.error();
  if (std::ranges::all_of(frame.units, [](const auto& u) { return u.is_sync_point(); })) {
    // Beyond it only seeks become coarser.
    if (entries_.size() < kMaxLayeredEntries) entries_.push_back({header_.frames, offset_});
  } else if (entries_.empty()) {
    return Error{"a file must begin with a synchronisation point"};
  }
  if (header_.frames >= kMaxLayeredFrames) return Error{"it has more frames than a file may have"};
  ++header_.frames;
  header_.total_bytes += frame.header.byte_count();
  header_.base_bytes += frame.header.byte_count();
  for (const CodedUnit& unit : frame.units) {
    header_.total_bytes += unit.data.byte_count();
    if (unit.layer == 0) header_.base_bytes += unit.data.byte_count();
  }
  return write(*record);
}

std::optional<Error> LayeredFileWriter::add(const SoundPacket& packet) {
  if (entries_.empty()) return Error{"a file must begin with a synchronisation point"};
  auto record = build_layered_sound(packet);
  if (!record) return record.error();
  return write(*record);
}

Result<ByteCount> LayeredFileWriter::finish() {
  if (entries_.empty()) return Error{"there is no frame to write"};
  const LayeredFileTrailer trailer{offset_, static_cast<std::uint32_t>(entries_.size())};
  std::vector<std::byte> end;
  for (const LayeredFileEntry& entry : entries_) write_layered_entry(entry, end);
  write_layered_trailer(trailer, end);
  if (auto error = write(end)) return *std::move(error);
  const ByteCount size(static_cast<std::int64_t>(offset_));

  // The numbers that were not known at the start.
  std::vector<std::byte> start;
  write_layered_header(header_, start);
  if (std::fseek(file_.get(), 0, SEEK_SET) != 0) return failed();
  if (auto error = write(start)) return *std::move(error);
  // A name that outlives a loss of power must not be of a file that did not.
  if (std::fflush(file_.get()) != 0 || ::fsync(::fileno(file_.get())) != 0) return failed();
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) return failed();
  finished_ = true;
  return size;
}

std::optional<Error> LayeredFileWriter::write(const std::vector<std::byte>& bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) return failed();
  offset_ += bytes.size();
  return std::nullopt;
}

Error LayeredFileWriter::failed() const { return cannot_write(path_, std::strerror(errno)); }

}  // namespace qvid::media
