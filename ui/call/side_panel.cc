#include "ui/call/side_panel.h"

#include <imgui.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ui/window/colors.h"

namespace qvid::ui {
namespace {

constexpr int kLeastPanel = 240;
constexpr int kMostPanel = 380;
constexpr int kLeastCall = 320;  // beside the panel
constexpr std::pair<ImGuiCol, ImU32> kPanelColors[] = {
    {ImGuiCol_WindowBg, kPanelGround},
    {ImGuiCol_TextDisabled, kFaint},
    {ImGuiCol_FrameBg, kPanelField},
    {ImGuiCol_FrameBgHovered, kPanelFieldHovered},
    {ImGuiCol_FrameBgActive, kPanelFieldHovered},
    {ImGuiCol_SliderGrab, kPanelGrab},
    {ImGuiCol_SliderGrabActive, kPanelGrab},
    {ImGuiCol_Button, kPanelRaised},
    {ImGuiCol_ButtonHovered, kPanelButton},
    {ImGuiCol_ButtonActive, kPanelPressed},
    {ImGuiCol_Header, kPanelRaised},
    {ImGuiCol_HeaderHovered, kPanelLine},
    {ImGuiCol_HeaderActive, kPanelLine},
};

}  // namespace

Rectangle place_panel(media::PictureSize window, int above, int below, bool all) {
  const int height = std::max(0, window.height - above - below);
  int width = std::clamp(window.width * 3 / 10, kLeastPanel, kMostPanel);
  if (all || window.width - width < kLeastCall) width = window.width;
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
  for (const auto& [what, color] : kPanelColors) ImGui::PushStyleColor(what, color);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
  bool open = true;
  if (ImGui::Begin(title, &open, kFlags)) content();
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(static_cast<int>(std::size(kPanelColors)));
  return open;
}

}  // namespace qvid::ui
