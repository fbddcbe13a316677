// The token that a client shows to a broker, as its user gives it.
#pragma once

#include <string>

#include "base/result.h"

namespace qps {

// `token`: itself, or the file that holds it. Empty: none. The error says what to do.
qvid::Result<std::string> read_token(const std::string& token);

}  // namespace qps
