#include "ui/call/devices_panel.h"

#include <imgui.h>

#include "ui/text/fonts.h"
#include "ui/text/translated.h"
#include "ui/window/focus.h"
#include "ui/window/paint.h"

namespace qvid::ui {
namespace {

const ImVec2 kBetweenDevices{8, 6};  // of lines: room for the mark of the focus

const char* heading_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kCamera: return tr("Camera");
    case DeviceKind::kMicrophone: return tr("Microphone");
    case DeviceKind::kLoudspeaker: return tr("Speaker");
  }
  return "";
}

void draw_coloured(const char* text, ImU32 colour) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextWrapped("%s", drawn_text(text).c_str());
  ImGui::PopStyleColor();
}

}  // namespace

std::optional<DeviceInput> draw_devices_panel(const DevicesModel& model) {
  std::optional<DeviceInput> chosen;
  if (ImGui::BeginChild("devices", {0, 0}, false, ImGuiWindowFlags_NavFlattened)) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, kBetweenDevices);
    draw_by_keys([&] {
      for (const DeviceGroup& group : model.groups) {
        ImGui::PushID(static_cast<int>(group.kind));
        draw_coloured(heading_of(group.kind), kFaint);
        for (const DeviceEntry& entry : group.entries) {
          const bool used = entry.device == group.used;
          if (draw_line(entry.device, entry.name, "", used ? LineMark::kDot : LineMark::kNoDot)) {
            chosen = DeviceInput{group.kind, entry.device};
          }
          const bool first = &group == &model.groups.front() && used;
          if (first && ImGui::IsWindowAppearing()) ImGui::SetItemDefaultFocus();
        }
        if (!group.trouble.empty()) draw_coloured(group.trouble.c_str(), kAmber);
        ImGui::Spacing();
        ImGui::PopID();
      }
    });
    ImGui::PopStyleVar();
  }
  ImGui::EndChild();
  return chosen;
}

}  // namespace qvid::ui
