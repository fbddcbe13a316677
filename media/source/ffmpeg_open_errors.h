// Why a source could not be opened, in a sentence: what, where, what to do. Private to media.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "media/source/video_source.h"

namespace qvid::media {

// Empty where the path is of a file that can be read.
std::optional<Error> local_file_error(const SourceSpec& spec);

Error open_error(const SourceSpec& spec, int ffmpeg_error);
Error open_timeout_error(const SourceSpec& spec, Duration timeout);
Error no_video_error(const SourceSpec& spec);
Error no_decoder_error(const SourceSpec& spec, const std::string& codec);
Error bad_size_error(const SourceSpec& spec, PictureSize size);

}  // namespace qvid::media
