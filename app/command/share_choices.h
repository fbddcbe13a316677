// What a call's window offers to be shared: the desktop, each of its screens where there are several, a
// part of it, each window on it; and which pictures it shows of them.
#pragma once

#include <vector>

#include "app/command/still_taker.h"
#include "media/source/video_source.h"
#include "ui/call/share_panel.h"
#include "ui/window/aspect.h"

namespace qvid::app {

// `found`: as media::list_screen() gives it. `screens`: in pixels of the desktop.
std::vector<ui::ShareChoice> share_choices(const std::vector<media::AvailableSource>& found,
                                           const std::vector<ui::Rectangle>& screens);

// On Wayland, where the desktop itself offers what there is: that it does.
std::vector<ui::ShareChoice> wayland_choices();

// Each source once, as large as its picture is needed: the first ones first.
std::vector<StillWish> share_stills(const std::vector<ui::ShareChoice>& choices);

}  // namespace qvid::app
