// What a process of this machine has used, and which one listens on a port, from /proc. Elsewhere
// than on Linux: an Error, and nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace qvid::app {

struct ProcessUsage {
  Duration cpu{};      // user and system, of all its threads, since it began; to 10 ms
  ByteCount resident;  // memory
};
Result<ProcessUsage> usage_of(int pid);

// /proc/PID/stat. Both positive.
std::optional<ProcessUsage> parse_process_stat(std::string_view text, long ticks_a_second,
                                               long page_bytes);

// The process that listens on that TCP port here, as far as this user may see it.
std::optional<int> listener_on(std::uint16_t port);
// /proc/net/tcp or tcp6: the inode of the socket that listens there.
std::optional<std::uint64_t> parse_listening_inode(std::string_view text, std::uint16_t port);

}  // namespace qvid::app
