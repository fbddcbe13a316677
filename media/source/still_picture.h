// What a source shows now, in one picture: for who chooses among screens and windows.
#pragma once

#include <stop_token>

#include "base/result.h"
#include "media/picture/video_frame.h"
#include "media/source/video_source.h"

namespace qvid::media {

// The first picture that the source gives, in planes of its own; made smaller where it is larger than
// `most`, at its aspect. Opens and closes the source, so it takes a moment: not on a thread that draws.
// Error: there is no such source, or it gives no picture.
Result<VideoFrame> take_still(const SourceSpec& spec, PictureSize most, std::stop_token stop);

}  // namespace qvid::media
