// Control messages: text on a session's first stream, more important than all video.
#pragma once

#include <string_view>

#include "transport/session.h"

namespace qvid::app {

// They are few and small: refused only by a session that is over, where nobody waits for them.
void send_control(paceline::Session& session, std::string_view text);

}  // namespace qvid::app
