// Counts what this binary's code allocates with operator new. Not for use on several threads.
#pragma once

#include <cstddef>

namespace counted_new {

inline std::size_t allocations = 0;
inline std::size_t largest = 0;  // in bytes

}  // namespace counted_new
