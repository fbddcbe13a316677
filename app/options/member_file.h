// The file that a member of a room is recorded to, among those of others.
#pragma once

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

namespace qvid::app {

// A member's name as a part of a file's: no path separators, no control characters, nothing that a
// shell or another system stumbles over; UTF-8 stays. At most 64 bytes, as a name is.
inline std::string safe_in_file_name(std::string name) {
  constexpr std::string_view kPlain = "-_.,+@ ()";
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter_or_digit =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter_or_digit && byte < 0x80 && kPlain.find(c) == std::string_view::npos) c = '_';
  }
  std::replace(name.begin(), name.begin() + std::min<std::ptrdiff_t>(1, std::ssize(name)), '.',
               '_');
  return name.empty() ? "_" : name;
}

// call.mkv and Ann: call-Ann.mkv. Names that come to the same file are told apart by a number of
// their own; `taken` has those given before, and gets this one.
inline std::filesystem::path member_file(const std::filesystem::path& path, const std::string& name,
                                         std::set<std::filesystem::path>& taken) {
  const std::string stem = path.stem().string() + "-" + safe_in_file_name(name);
  for (int number = 1;; ++number) {
    const std::string more = number == 1 ? "" : "~" + std::to_string(number);
    auto file = path.parent_path() / (stem + more + path.extension().string());
    if (taken.insert(file).second) return file;
  }
}

}  // namespace qvid::app
