#include "ui/call/more_panel.h"

#include <imgui.h>

#include "ui/text/translated.h"
#include "ui/window/focus.h"

namespace qvid::ui {

KeyAction draw_more_panel(const CallButtons& buttons) {
  KeyAction chosen = KeyAction::kNone;
  draw_by_keys([&] {
    for (const KeyAction action : more_actions()) {
      const std::string name = name_of(action, buttons);
      if (draw_line(key_of(KeySet::kCall, action), name, key_of(KeySet::kCall, action))) {
        chosen = action;
      }
      if (action == more_actions().front() && ImGui::IsWindowAppearing()) {
        ImGui::SetItemDefaultFocus();
      }
    }
  });
  return chosen;
}

}  // namespace qvid::ui
