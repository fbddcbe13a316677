// What nearly every test includes, compiled once (tests/CMakeLists.txt). A test still includes what
// it uses: the preset `strict` has no precompiled header.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/headers.h"
