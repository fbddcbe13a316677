#include "app/broker/own_usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace qvid::app {
namespace {

Duration of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

std::int64_t entries(const char* folder) {
  std::error_code error;
  std::int64_t n = 0;
  auto it = std::filesystem::directory_iterator(folder, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) ++n;
  return n;
}

}  // namespace

OwnUsage own_usage() {
  OwnUsage usage;
  rusage used{};
  if (getrusage(RUSAGE_SELF, &used) == 0) usage.cpu = of(used.ru_utime) + of(used.ru_stime);
  std::int64_t size = 0;
  std::int64_t resident = 0;
  if (std::ifstream("/proc/self/statm") >> size >> resident) {
    usage.resident = ByteCount(resident * sysconf(_SC_PAGESIZE));
  }
  usage.open_files = entries("/proc/self/fd");
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY) {
    usage.max_files = static_cast<std::int64_t>(files.rlim_cur);
  }
  return usage;
}

}  // namespace qvid::app
