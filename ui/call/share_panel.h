// What can be shared in a call, in its side panel: a line for each. Thread: the main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace qvid::ui {

struct ShareChoice {
  std::string source{};  // as the app takes it
  std::string title{};   // UTF-8, of any length
  std::string detail{};
};

// Inside a frame of ImGui. The source of the one that was chosen in this frame; empty: none.
// `with_sound`: whether what other programs play goes along, which the user changes; empty: there is none
// that could.
std::string draw_share_panel(const std::vector<ShareChoice>& choices,
                             std::optional<bool>& with_sound);

}  // namespace qvid::ui
