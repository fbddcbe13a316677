#include "ui/call/share_panel.h"

#include <imgui.h>

#include "ui/text/fonts.h"
#include "ui/text/translated.h"
#include "ui/window/focus.h"

namespace qvid::ui {
namespace {

const ImVec2 kBetweenLines{8, 6};  // of lines: room for the mark of the focus

}  // namespace

std::string draw_share_panel(const std::vector<ShareChoice>& choices,
                             std::optional<bool>& with_sound) {
  ImGui::TextWrapped(
      "%s", drawn_text(choices.empty()
                           ? tr("There is no screen and no window here that Qvid could share.")
                           : tr("Everybody in the call sees what you choose."))
                .c_str());
  if (with_sound && !choices.empty()) {
    draw_by_keys([&] { draw_box(tr("With computer sound"), *with_sound); });
  }
  ImGui::Separator();
  std::string chosen;
  if (ImGui::BeginChild("shares", {0, 0}, false, ImGuiWindowFlags_NavFlattened)) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, kBetweenLines);
    draw_by_keys([&] {
      for (const ShareChoice& choice : choices) {
        if (draw_line(choice.source, choice.title, choice.detail)) chosen = choice.source;
        if (&choice == &choices.front() && ImGui::IsWindowAppearing()) ImGui::SetItemDefaultFocus();
      }
    });
    ImGui::PopStyleVar();
  }
  ImGui::EndChild();
  return chosen;
}

}  // namespace qvid::ui
