// Who listens on a TCP port, as Linux tells it (proc(5)).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace qvid::lab {

// Of the text of /proc/net/tcp or tcp6: the inode of the socket that listens on `port`.
std::optional<std::uint64_t> parse_listening_inode(std::string_view text, std::uint16_t port);
// Whether some process listens there, in the network namespace that `pid` is in.
bool listens(pid_t pid, std::uint16_t port);
// The process of this machine that listens there, as far as it may be looked at.
std::optional<int> listener_on(std::uint16_t port);

}  // namespace qvid::lab
