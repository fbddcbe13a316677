// Counts what this thread of this binary allocates with operator new.
#pragma once

#include <cstddef>

namespace counted_new {

inline thread_local constinit std::size_t allocations = 0;
inline thread_local constinit std::size_t largest = 0;  // in bytes

}  // namespace counted_new
