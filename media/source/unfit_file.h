// Whether a file of this machine can be a source, before anybody is told of it.
#pragma once

#include <optional>

#include "base/result.h"
#include "media/source/video_source.h"

namespace qvid::media {

// Why it cannot, found by opening it. Nothing where it can, and for every other source: a device,
// a display or a URL may be there later.
std::optional<Error> unfit_file(const SourceSpec& spec, const SourceOptions& options);

}  // namespace qvid::media
