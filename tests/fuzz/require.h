// What must hold whatever the input is; a fuzzer keeps the input that broke it.
#pragma once

#include <cstdlib>

namespace qvid::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace qvid::fuzz
