#include "media/picture/ffmpeg_log.h"

#include <mutex>

extern "C" {
#include <libavutil/log.h>
}

namespace qvid::media {

void quiet_ffmpeg_log() {
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_level(AV_LOG_QUIET); });
}

}  // namespace qvid::media
