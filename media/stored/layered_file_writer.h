// Writes a prepared video: under a name of its own until it is whole, so that no reader ever sees
// half of one and nothing is left behind by a writer that gives up.
//
// While it is written it is PATH.part, locked; one that a killed writer left is taken over.
// Thread: one, blocking.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "media/stored/layered_file.h"

namespace qvid::media {

class LayeredFileWriter {
 public:
  // `header`: codec, rate, size, original and sound; the rest is counted here.
  static Result<std::unique_ptr<LayeredFileWriter>> create(const std::filesystem::path& path,
                                                           LayeredFileHeader header);
  // Removes what is not finished.
  ~LayeredFileWriter();
  LayeredFileWriter(const LayeredFileWriter&) = delete;
  LayeredFileWriter& operator=(const LayeredFileWriter&) = delete;

  // The next frame; the first must be a synchronisation point in every layer. Empty: written.
  std::optional<Error> add(const CodedFrame& frame);
  // Of the sound, what comes next, kSoundBehind (media/stored/stored_source.h) behind the frames.
  // Only where the header says that there is some.
  std::optional<Error> add(const SoundPacket& packet);
  // Makes it whole and gives it its name, in the place of what has it. Its size.
  Result<ByteCount> finish();

  const LayeredFileHeader& header() const { return header_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  LayeredFileWriter(std::filesystem::path path, std::filesystem::path unfinished,
                    LayeredFileHeader header, std::FILE* file)
      : path_(std::move(path)),
        unfinished_(std::move(unfinished)),
        header_(std::move(header)),
        file_(file) {}
  std::optional<Error> write(const std::vector<std::byte>& bytes);
  Error failed() const;  // as errno says

  std::filesystem::path path_;
  std::filesystem::path unfinished_;
  LayeredFileHeader header_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t offset_ = 0;
  std::vector<LayeredFileEntry> entries_;
  bool finished_ = false;
};

}  // namespace qvid::media
