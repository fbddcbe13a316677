// What this process takes of its machine, for its metrics. Source: getrusage(2), proc(5); what
// cannot be read is 0. Thread: any.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace qvid::app {

struct OwnUsage {
  Duration cpu{};      // user and system, of all threads, since the start
  ByteCount resident;  // memory
  std::int64_t open_files = 0;
  std::int64_t max_files = 0;  // the soft limit; 0: none
};
OwnUsage own_usage();

}  // namespace qvid::app
