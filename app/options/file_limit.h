// A socket is an open file, and by default a process may have few: as many as it may ask for.
#pragma once

#include <cstddef>

namespace qvid::app {

// Raises this process's limit of open files as far as it may (RLIMIT_NOFILE to its hard limit);
// gives what it is then.
std::size_t raise_file_limit();

}  // namespace qvid::app
