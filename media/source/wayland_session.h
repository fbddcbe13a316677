// Whether the desktop is one of Wayland, where no program sees another's pixels by itself: what is
// shown is chosen in a window of the desktop's own (media/source/portal_source.h).
#pragma once

#include "media/source/video_source.h"

namespace qvid::media {

// By WAYLAND_DISPLAY or XDG_SESSION_TYPE. Any thread that changes no environment.
bool in_wayland_session();
// A screen without a name, there. It is opened once for each time that somebody wants it: another
// opening would ask the person again.
bool is_chosen_on_desktop(const SourceSpec& spec);

}  // namespace qvid::media
