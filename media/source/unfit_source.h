// Whether something can be a source, before anybody is told of it.
#pragma once

#include <optional>

#include "base/result.h"
#include "media/source/video_source.h"

namespace qvid::media {

// Why it can never be one: of a file, found by opening it; of a screen that has no name, neither
// its own nor in DISPLAY; of one of Wayland, where nobody can be asked for it. Nothing for every other source: a device, a display or a URL may be there
// later.
std::optional<Error> unfit_source(const SourceSpec& spec, const SourceOptions& options);
// Why a camera or a display gives no picture now, with what to do. Nothing where it would, as far as
// can be told without starting a camera, and for every other source.
std::optional<Error> absent_device(const SourceSpec& spec);

}  // namespace qvid::media
