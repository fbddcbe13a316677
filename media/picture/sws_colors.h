// What swscale is to know of a picture's colours to make RGB of them. Private to media.
#pragma once

extern "C" {
#include <libswscale/swscale.h>
}

#include "media/picture/video_frame.h"

namespace qvid::media {

// `to_rgb`: a converter of I420.
inline void set_colors(SwsContext& to_rgb, ColorRange range, ColorMatrix matrix) {
  const int* from =
      sws_getCoefficients(matrix == ColorMatrix::kBt709 ? SWS_CS_ITU709 : SWS_CS_ITU601);
  constexpr int kUnity = 1 << 16;  // contrast and saturation, in swscale's fixed point
  sws_setColorspaceDetails(&to_rgb, from, range == ColorRange::kFull ? 1 : 0, from, 1, 0, kUnity,
                           kUnity);
}

}  // namespace qvid::media
