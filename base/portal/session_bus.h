// Where the session's bus is, as D-Bus writes it; the error says why there is none. Asks nobody.
// Thread: any that changes no environment.
#pragma once

#include <string>

#include "base/result.h"

namespace qvid {

Result<std::string> session_bus_address();

}  // namespace qvid
