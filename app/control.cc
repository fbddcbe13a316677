#include "app/control.h"

#include "media/adaptation_policy.h"

namespace qvid::app {

void send_control(paceline::Session& session, std::string_view text) {
  (void)session.send(paceline::kFirstStream,
                     {.importance = paceline::Importance(media::kControlImportance),
                      .position = {},
                      .payload = Payload::copy_of(text)});
}

}  // namespace qvid::app
