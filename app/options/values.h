// Values of the command line that are more than numbers, with messages that say what is wrong.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/video_frame.h"

namespace qvid::app {

// "1280x720", 16..4096 each and even.
Result<media::PictureSize> parse_size(std::string_view text);
// "30", "29.97", "30000/1001"; 1..120.
Result<FrameRate> parse_rate(std::string_view text);
// A place in a video: "1:02:03", "2:03", "123", "90s", "1.5"; up to a year.
Result<Duration> parse_place(std::string_view text);
// How long something is valid: "90s", "45m", "24h", "30d"; a second to ten years.
Result<std::chrono::seconds> parse_validity(std::string_view text);
// "2500k", "2.5M", "800000"; 50 kbit/s .. 100 Mbit/s.
Result<DataRate> parse_bitrate(std::string_view text);

}  // namespace qvid::app
