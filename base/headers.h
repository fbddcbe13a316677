// What nearly every file includes of the standard library, compiled once (cmake/options.cmake). A
// file still includes what it uses: the presets `strict` and `clang` have no precompiled header.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
