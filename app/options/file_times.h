// Whether files have been changed since they were read: by the times that the file system notes.
//
// Of a folder the files in it count, too, kMost at the most. What is not there has no time, and that
// it came or went is a change. Thread: one at a time.
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

namespace qvid::app {

class FileTimes {
 public:
  static constexpr std::size_t kMost = 64;

  explicit FileTimes(std::vector<std::filesystem::path> files) : files_(std::move(files)) {
    note();
  }

  // They are read now.
  void note() { read_ = times(); }
  // Since that; and then it is noted.
  bool have_changed();

 private:
  using Times = std::vector<std::pair<std::filesystem::path, std::filesystem::file_time_type>>;
  Times times() const;

  std::vector<std::filesystem::path> files_;
  Times read_;
};

}  // namespace qvid::app
