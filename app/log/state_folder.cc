#include "app/log/state_folder.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "base/user_folder.h"

namespace qvid::app {

namespace fs = std::filesystem;

fs::path state_folder() { return user_folder("XDG_STATE_HOME", ".local/state"); }

void keep_newest(const fs::path& folder, const std::string& begin, std::size_t most) {
  std::error_code ignored;  // what cannot be removed stays
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    if (!it->path().filename().string().starts_with(begin)) continue;
    files.emplace_back(it->last_write_time(ignored), it->path());
  }
  std::ranges::sort(files, std::ranges::greater());
  for (std::size_t i = most; i < files.size(); ++i) fs::remove(files[i].second, ignored);
}

}  // namespace qvid::app
