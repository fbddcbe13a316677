// What is kept of runs of this program for who asks what went wrong: logs, and reports of crashes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace qvid::app {

// $XDG_STATE_HOME/qvid, or ~/.local/state/qvid; empty where there is neither.
std::filesystem::path state_folder();

// Removes all but the newest `most` of the files there whose names begin so.
void keep_newest(const std::filesystem::path& folder, const std::string& begin, std::size_t most);

}  // namespace qvid::app
