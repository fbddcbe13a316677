// Whether a file that is written at the end can be written, told before anything begins.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace qvid::app {

// Why nothing can be written to `path`, with what to do. Tried: a file that is there is opened and
// left as it is, one that is not is made and removed again; pipes and devices are not touched.
std::optional<Error> unwritable(const std::string& path);

}  // namespace qvid::app
