// Control messages: text on a session's first stream, before everything else.
#pragma once

#include <string_view>
#include <utility>

#include "transport/session/session.h"

namespace qps {

inline constexpr std::uint8_t kControlImportance = 255;

inline paceline::Message control_message(qvid::Payload text) {
  return {.importance = paceline::Importance(kControlImportance),
          .position = {},
          .payload = std::move(text)};
}

// They are few and small: refused only by a session that is over, where nobody waits for them.
inline void send_control(paceline::Session& session, std::string_view text) {
  (void)session.send(paceline::kFirstStream, control_message(qvid::Payload::copy_of(text)));
}

}  // namespace qps
