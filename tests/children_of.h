// The processes that a process has started and that still run: proc(5).
#pragma once

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace qvid {

inline std::vector<int> children_of(int parent) {
  std::vector<int> children;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename();
    int pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc()) continue;
    std::ifstream in(it->path() / "stat");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    // The name, in brackets, may hold anything.
    std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    std::string state;
    int its_parent = 0;
    if (rest >> state >> its_parent && its_parent == parent && state != "Z") {
      children.push_back(pid);
    }
  }
  return children;
}

}  // namespace qvid
