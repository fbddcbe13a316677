// A screen or window that the person chooses in a window of the desktop's own, as Wayland has it: by
// its portal (media/source/desktop_portal.h), read from PipeWire (media/source/pipewire_stream.h).
//
// Opening waits for the person, and for the first picture. All have its size, or that of the options,
// and a steady rate (media/source/screen_pace.h): a screen has no new ones while nothing on it
// changes, and the last one is given again. Once its pictures are lost they are so for good: the
// person would be asked again.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "base/result.h"
#include "media/source/video_source.h"

namespace qvid::media {

// Precondition: is_chosen_on_desktop(spec), and the options are sound (open_source checks them).
Result<std::unique_ptr<VideoSource>> open_portal_source(const SourceSpec& spec,
                                                        const SourceOptions& options,
                                                        const std::stop_token& stop);
// Why it cannot be, as far as that is seen without asking anybody.
std::optional<Error> unfit_portal_source(const SourceSpec& spec);

}  // namespace qvid::media
