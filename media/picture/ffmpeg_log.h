// Keeps FFmpeg's own log lines off the terminal: what matters of them comes as an Error.
#pragma once

namespace qvid::media {

// Call before any other use of FFmpeg. Any thread, any number of times.
void quiet_ffmpeg_log();

}  // namespace qvid::media
