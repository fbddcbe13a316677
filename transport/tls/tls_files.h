// Small files of one user that several processes may read and write: whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace paceline {

// All of it; empty where there is none. A file of more than 1 MiB is none of ours: an error.
qvid::Result<std::optional<std::string>> read_file(const std::filesystem::path& path);

// Replaces the file; its owner alone may read it. Under a lock, for the temporary file's sake.
std::optional<qvid::Error> write_file(const std::filesystem::path& path, const std::string& text);

// Creates the folder, open to its owner only, where there is none yet.
std::optional<qvid::Error> make_private_folder(const std::filesystem::path& folder);

// Held by one process and thread at a time, and freed by the kernel when its holder ends, however
// that happens. The file stays: who removed it could part two holders.
class FileLock {
 public:
  static qvid::Result<FileLock> take(const std::filesystem::path& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace paceline
