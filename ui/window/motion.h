// Whether what moves by itself stands still in the windows of this program, for who asked for that.
// Thread: the main thread.
#pragma once

namespace qvid::ui {

// False at first. From the next drawing on.
void reduce_motion(bool on);
bool motion_is_reduced();

}  // namespace qvid::ui
