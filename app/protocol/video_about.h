// What subscribers must know of a track of video to play it: its publication's `about`; and which
// messages of live video its items' parts are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "pubsub/wire/envelope.h"

namespace qvid::app {

struct VideoAbout {
  std::string codec;
  FrameRate rate;
  bool apart = false;  // the member's sound does not belong to it, but to another track, or to none
};
std::string serialise(const VideoAbout& about);
// Error: it is no video that can be played here.
Result<VideoAbout> parse_video_about(std::string_view text);

// The position of a part among messages of live video (media/unit/unit_wire.h).
std::uint64_t media_position(const qps::PartId& id);

}  // namespace qvid::app
