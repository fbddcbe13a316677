// What a call's window offers to be shared: the desktop, each of its screens where there are several,
// each window on it.
#pragma once

#include <vector>

#include "media/source/video_source.h"
#include "ui/call/share_panel.h"
#include "ui/window/aspect.h"

namespace qvid::app {

// `found`: as media::list_screen() gives it. `screens`: in pixels of the desktop.
std::vector<ui::ShareChoice> share_choices(const std::vector<media::AvailableSource>& found,
                                           const std::vector<ui::Rectangle>& screens);

// On Wayland, where the desktop itself offers what there is: that it does.
std::vector<ui::ShareChoice> wayland_choices();

}  // namespace qvid::app
