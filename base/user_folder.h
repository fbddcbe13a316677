// Where a user's files of one sort are kept (XDG Base Directory Specification).
#pragma once

#include <cstdlib>
#include <filesystem>

namespace qvid {

// $`variable`/qvid, or `in_home`/qvid in the home folder; empty where there is neither. Thread: any.
inline std::filesystem::path user_folder(const char* variable,
                                         const std::filesystem::path& in_home) {
  if (const char* folder = std::getenv(variable); folder != nullptr && *folder != '\0') {
    return std::filesystem::path(folder) / "qvid";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::filesystem::path(home) / in_home / "qvid";
  }
  return {};
}

}  // namespace qvid
