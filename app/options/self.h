// How a broker knows this user again: by a secret that is kept in his settings, and told as another
// one to each broker and room, so that none learns who comes where else.
#pragma once

#include <string>

#include "app/options/url.h"

namespace qvid::app {

// For Join::self; the secret is made where there is none yet. Where it cannot be kept, another one at
// every start. Thread: any.
std::string self_for(const Url& room);

}  // namespace qvid::app
