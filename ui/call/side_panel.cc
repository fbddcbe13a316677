#include "ui/call/side_panel.h"

#include <imgui.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace qvid::ui {
namespace {

constexpr int kLeastPanel = 240;
constexpr int kMostPanel = 380;
constexpr int kLeastCall = 320;  // beside the panel
const ImVec4 kPanelGround{0.11f, 0.12f, 0.15f, 1};
// ImGui's own are too bright for what is written on them.
constexpr std::pair<ImGuiCol, ImU32> kPanelColors[] = {
    {ImGuiCol_Header, IM_COL32(38, 66, 104, 255)},
    {ImGuiCol_HeaderHovered, IM_COL32(41, 87, 153, 255)},
    {ImGuiCol_HeaderActive, IM_COL32(41, 87, 153, 255)},
    {ImGuiCol_ButtonHovered, IM_COL32(46, 100, 174, 255)},
    {ImGuiCol_ButtonActive, IM_COL32(41, 87, 153, 255)},
};

}  // namespace

Rectangle place_panel(media::PictureSize window, int above, int below) {
  const int height = std::max(0, window.height - above - below);
  int width = std::clamp(window.width * 3 / 10, kLeastPanel, kMostPanel);
  if (window.width - width < kLeastCall) width = window.width;
  return {window.width - width, above, width, height};
}

bool draw_panel(const Rectangle& place, const char* title, bool focus,
                const std::function<void()>& content) {
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollbar |
      ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::SetNextWindowPos({static_cast<float>(place.x), static_cast<float>(place.y)});
  ImGui::SetNextWindowSize({static_cast<float>(place.width), static_cast<float>(place.height)});
  if (focus) ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, kPanelGround);
  for (const auto& [what, color] : kPanelColors) ImGui::PushStyleColor(what, color);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
  bool open = true;
  if (ImGui::Begin(title, &open, kFlags)) content();
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(1 + static_cast<int>(std::size(kPanelColors)));
  return open;
}

}  // namespace qvid::ui
