// The wall clock, for what people and other machines agree on: when a token ends.
#pragma once

#include <ctime>

#include "pubsub/token/token.h"

namespace qvid::app {

inline qps::WallTime wall_now() { return qps::WallTime(std::chrono::seconds(std::time(nullptr))); }

}  // namespace qvid::app
