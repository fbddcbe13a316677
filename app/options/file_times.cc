#include "app/options/file_times.h"

#include <algorithm>
#include <system_error>

namespace qvid::app {

namespace fs = std::filesystem;

bool FileTimes::have_changed() {
  const Times before = std::exchange(read_, times());
  return before != read_;
}

FileTimes::Times FileTimes::times() const {
  Times times;
  const auto add = [&times](const fs::path& file) {
    std::error_code none;
    const auto time = fs::last_write_time(file, none);
    if (!none && times.size() < kMost) times.emplace_back(file, time);
  };
  for (const fs::path& file : files_) {
    add(file);
    std::error_code error;
    for (fs::directory_iterator it(file, error), end; !error && it != end; it.increment(error)) {
      add(it->path());
    }
  }
  std::ranges::sort(times);
  return times;
}

}  // namespace qvid::app
