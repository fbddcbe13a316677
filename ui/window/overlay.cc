#include "ui/window/overlay.h"

#include <imgui.h>

#include <algorithm>
#include <cstdio>

#include "ui/text/fonts.h"
#include "ui/window/colors.h"

namespace qvid::ui {
namespace {

constexpr float kMargin = 10;         // units from the window's corner
constexpr float kPlotHeight = 56;     // units
constexpr float kPlotMinWidth = 220;  // units

void draw_rows(const OverlayModel& model) {
  if (model.rows.empty()) return;
  if (!ImGui::BeginTable("rows", 2, ImGuiTableFlags_SizingFixedFit)) return;
  for (const auto& [name, value] : model.rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, kFaint);
    ImGui::TextUnformatted(drawn_text(name).c_str());
    ImGui::PopStyleColor();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(drawn_text(value).c_str());
  }
  ImGui::EndTable();
}

void draw_plot(const std::vector<float>& delay_ms) {
  if (delay_ms.empty()) return;
  const float highest = *std::max_element(delay_ms.begin(), delay_ms.end());
  char caption[64];
  std::snprintf(caption, sizeof caption, "delay %.0f ms, peak %.0f",
                static_cast<double>(delay_ms.back()), static_cast<double>(highest));
  // From zero, with a quarter of room above so that the caption does not hide the line.
  const float top = std::max(1.0f, highest * 1.25f);
  const float width = std::max(kPlotMinWidth, ImGui::GetContentRegionAvail().x);
  ImGui::PlotLines("##delay", delay_ms.data(), static_cast<int>(delay_ms.size()), 0, caption, 0.0f,
                   top, {width, kPlotHeight});
}

}  // namespace

void draw_overlay(const OverlayModel& model, float below) {
  ImGui::SetNextWindowPos({kMargin, kMargin + below}, ImGuiCond_Once);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration |
                                      ImGuiWindowFlags_AlwaysAutoResize |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, kOverlayGround);
  if (ImGui::Begin("overlay", nullptr, kFlags)) {
    if (!model.title.empty()) {
      ImGui::TextUnformatted(drawn_text(model.title).c_str());
      ImGui::Separator();
    }
    draw_rows(model);
    draw_plot(model.delay_ms);
  }
  ImGui::End();
  ImGui::PopStyleColor();
}

}  // namespace qvid::ui
