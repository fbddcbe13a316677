// What this process may still take of memory until the system refuses it, or ends it: by its own limits
// (RLIMIT_AS, RLIMIT_DATA), and by those of its control group and of each above that one (cgroups v2,
// as of a systemd unit or a container). Of a group's files in the cache nothing counts: they make room;
// and where less than kPlenty is left, what was freed and lies in the heap counts, as it can be had again:
// to tell it is a look at every free piece.
#pragma once

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/units.h"

namespace qvid {

class MemoryLeft {
 public:
  static constexpr ByteCount kPlenty{64 * 1024 * 1024};

  // Elsewhere: for tests.
  explicit MemoryLeft(const std::filesystem::path& process = "/proc/self",
                      const std::filesystem::path& groups = "/sys/fs/cgroup")
      : sizes_(process / "statm"), groups_(groups), group_(group_of(process, groups)) {}

  // Nothing: there is no limit, or the system tells of none.
  std::optional<ByteCount> operator()() const {
    std::optional<ByteCount> left = of_system();
    if (left && *left < kPlenty) *left += ByteCount::of(mallinfo2().fordblks);
    return left;
  }

 private:
  struct Sizes {
    std::int64_t all = 0;
    std::int64_t data = 0;
  };

  std::optional<ByteCount> of_system() const {
    std::optional<ByteCount> left;
    const auto limit = [&left](std::int64_t most, std::int64_t taken) {
      const ByteCount here(std::max<std::int64_t>(most - taken, 0));
      left = left ? std::min(*left, here) : here;
    };
    for (const auto& [which, taken] :
         {std::pair(RLIMIT_AS, &Sizes::all), {RLIMIT_DATA, &Sizes::data}}) {
      rlimit most{};
      if (getrlimit(which, &most) == 0 && most.rlim_cur != RLIM_INFINITY) {
        limit(static_cast<std::int64_t>(most.rlim_cur), own_sizes().*taken);
      }
    }
    if (!group_) return left;
    for (auto group = *group_;; group = group.parent_path()) {
      const auto most = number(text_of(group / "memory.max"));
      if (most) {
        const std::string parts = text_of(group / "memory.stat");
        limit(*most, number(text_of(group / "memory.current")).value_or(0) -
                         value_in(parts, "active_file") - value_in(parts, "inactive_file"));
      }
      if (group == groups_ || !group.has_relative_path()) return left;
    }
  }
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc()) return std::nullopt;
    return value;
  }
  static std::int64_t value_in(std::string_view text, const std::string& name) {
    const std::string line = "\n" + name + " ";
    const std::size_t at = text.find(line);
    if (at == std::string_view::npos) return 0;
    return number(text.substr(at + line.size())).value_or(0);
  }
  static std::optional<std::filesystem::path> group_of(const std::filesystem::path& process,
                                                       const std::filesystem::path& groups) {
    constexpr std::string_view kOurs = "0::/";  // of version 2; it is the only one, or the last
    const std::string text = "\n" + text_of(process / "cgroup");
    const std::size_t at = text.find("\n" + std::string(kOurs));
    if (at == std::string::npos) return std::nullopt;
    const std::size_t from = at + 1 + kOurs.size();
    const auto group =
        (groups / text.substr(from, text.find('\n', from) - from)).lexically_normal();
    // What is above the root of a container is not to be seen.
    return group.string().starts_with(groups.string()) ? group : groups;
  }
  // Of statm: size resident shared text lib data, in pages.
  Sizes own_sizes() const {
    std::ifstream in(sizes_);
    std::int64_t all = 0, skipped = 0, data = 0;
    in >> all >> skipped >> skipped >> skipped >> skipped >> data;
    const std::int64_t page = sysconf(_SC_PAGESIZE);
    return {.all = all * page, .data = data * page};
  }

  std::filesystem::path sizes_;
  std::filesystem::path groups_;
  std::optional<std::filesystem::path> group_;  // ours; nothing: it is not to be known
};

}  // namespace qvid
