// Reads a prepared video: a frame a read, from anywhere in it.
//
// Memory: the index (4 MiB at most), one frame (32 MiB at most) and the sound up to the next one;
// never the file. Any bytes may
// be in it: each size is checked against the limits and the file before memory is taken. Thread:
// one, blocking on the disk alone.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "media/stored/layered_file.h"
#include "media/stored/stored_source.h"

namespace qvid::media {

class LayeredFileSource final : public StoredSource {
 public:
  static Result<std::unique_ptr<LayeredFileSource>> open(const std::filesystem::path& path);
  ~LayeredFileSource() override;
  LayeredFileSource(const LayeredFileSource&) = delete;
  LayeredFileSource& operator=(const LayeredFileSource&) = delete;

  StoredInfo info() const override;
  Result<std::variant<CodedFrame, EndOfStream>> next(std::stop_token stop) override;
  Result<Duration> seek(Duration to, std::stop_token stop) override;
  std::vector<SoundPacket> take_sound() override { return std::exchange(sound_, {}); }

  const LayeredFileHeader& header() const { return header_; }

 private:
  LayeredFileSource(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  std::optional<Error> read_all_about_it();
  std::optional<Error> read(std::uint64_t offset, std::span<std::byte> into) const;
  // Of the record that is next. Precondition: there is one.
  Result<LayeredRecord> read_prefix() const;
  // Up to the next frame.
  std::optional<Error> read_sound();
  Error damaged(const std::string& how) const;

  std::filesystem::path path_;
  int descriptor_;
  LayeredFileHeader header_;
  std::vector<LayeredFileEntry> entries_;
  std::uint64_t frames_end_ = 0;    // offset behind the last frame
  std::uint64_t offset_ = 0;        // of the next frame
  std::int64_t place_ = 0;          // the next frame's number in the file
  FrameNumber number_;              // the next frame's as it is given
  std::vector<SoundPacket> sound_;  // read and not taken
};

// Whether the file begins as a prepared one; false where it cannot be read.
bool is_layered_file(const std::filesystem::path& path);

}  // namespace qvid::media
