// What a process takes of its machine, and the limit of its files. Linux: proc(5), prlimit(2).
// Thread: any.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/result.h"
#include "base/units.h"

namespace qvid {

struct ProcessUsage {
  Duration cpu{};      // user and system, of all threads, since the start; in ticks of 10 ms
  ByteCount resident;  // memory
  // Sockets, too; 0 where another user's cannot be read.
  std::int64_t open_files = 0;
  std::int64_t max_files = 0;  // the soft limit; 0: none
};

// CPU and memory, of the text of /proc/PID/stat.
inline std::optional<ProcessUsage> parse_process_stat(std::string_view text, long ticks_a_second,
                                                      long page_bytes) {
  // The name, in brackets, may hold anything, brackets too.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::istringstream in{std::string(text.substr(name_end + 1))};
  std::string word;
  constexpr int kUser = 14;  // as proc(5) counts; the next behind the name is 3
  constexpr int kSystem = 15;
  constexpr int kResident = 24;
  std::int64_t ticks = 0;
  for (int field = 3; in >> word; ++field) {
    if (field != kUser && field != kSystem && field != kResident) continue;
    std::istringstream number(word);
    std::int64_t value = 0;
    if (!(number >> value)) return std::nullopt;
    if (field == kResident) {
      ProcessUsage usage;
      usage.cpu = from_seconds(static_cast<double>(ticks) / static_cast<double>(ticks_a_second));
      usage.resident = ByteCount(value * page_bytes);
      return usage;
    }
    ticks += value;
  }
  return std::nullopt;
}

inline Result<ProcessUsage> usage_of(int pid) {
  const auto folder = std::filesystem::path("/proc") / std::to_string(pid);
  std::ifstream in(folder / "stat");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto usage = parse_process_stat(text, sysconf(_SC_CLK_TCK), sysconf(_SC_PAGESIZE));
  if (!usage) return Error{"there is no process " + std::to_string(pid) + " to look at here"};
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder / "fd", error), end; !error && it != end;
       it.increment(error)) {
    ++usage->open_files;
  }
  rlimit files{};
  if (prlimit(pid, RLIMIT_NOFILE, nullptr, &files) == 0 && files.rlim_cur != RLIM_INFINITY) {
    usage->max_files = static_cast<std::int64_t>(files.rlim_cur);
  }
  return *usage;
}

// A socket is an open file, and by default a process may have few: as many as it may ask for
// (RLIMIT_NOFILE to its hard limit). Gives what it is then.
inline std::size_t raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  rlimit more = limit;
  more.rlim_cur = more.rlim_max;
  if (more.rlim_cur != limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &more) == 0) limit = more;
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace qvid
