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

// Chat: behind sound and what every picture needs, so that nobody's talk is held up by it, and before
// what a picture can do without (media/live/adaptation_policy.h has the numbers of video).
inline constexpr std::uint8_t kChatImportance = 220;

// In the order of `number`.
inline paceline::Message chat_message(qvid::Payload text, std::int64_t number) {
  return {.importance = paceline::Importance(kChatImportance),
          .position = paceline::Position(static_cast<std::uint64_t>(number)),
          .payload = std::move(text)};
}

// They are few and small: refused only by a session that is over, where nobody waits for them.
inline void send_control(paceline::Session& session, std::string_view text) {
  (void)session.send(paceline::kFirstStream, control_message(qvid::Payload::copy_of(text)));
}

}  // namespace qps
