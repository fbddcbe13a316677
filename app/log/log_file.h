// The log of a program with a window, whose standard error nobody sees: a file of its own in
// state_folder().
//
// Bounds: kMostLogFile bytes, then it becomes qvid-PID.1.log, in the place of what that was, and
// begins anew; kMostLogFiles of all programs, the oldest go. Thread: main's; lines come from any.
#pragma once

#include <spdlog/common.h>

#include <cstddef>
#include <filesystem>

namespace qvid::app {

inline constexpr std::size_t kMostLogFile = 1024 * 1024;
inline constexpr std::size_t kMostLogFiles = 10;

// While it lives, what is logged goes there, too.
class LogFile {
 public:
  // Where none can be written (no folder, a full disk) that is logged, and the program goes on.
  // `folder`: empty: none is written.
  explicit LogFile(const std::filesystem::path& folder);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

 private:
  spdlog::sink_ptr sink_;
};

}  // namespace qvid::app
