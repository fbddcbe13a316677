#include "ui/window/notices.h"

#include <imgui.h>

#include <string>
#include <utility>
#include <vector>

#include "ui/text/fonts.h"
#include "ui/text/translated.h"
#include "ui/window/colors.h"

namespace qvid::ui {
namespace {

constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                                    ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
constexpr float kPadding = 10;  // units about a banner's text

// Wrapped to the window's width.
ImVec2 banner_text_size(const std::string& shown) {
  const float wrap = ImGui::GetIO().DisplaySize.x - 2 * kPadding;
  if (wrap <= 0 || shown.empty()) return {};
  return ImGui::CalcTextSize(shown.c_str(), nullptr, false, wrap);
}

}  // namespace

void draw_help(KeySet keys, const std::string& talk) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, kHelpGround);
  if (ImGui::Begin("help", nullptr, kFlags | ImGuiWindowFlags_AlwaysAutoResize)) {
    ImGui::TextUnformatted(tr("Keys"));
    ImGui::Separator();
    // Side by side where the window is too low for all of them.
    std::vector<std::pair<std::string, const char*>> all;
    if (!talk.empty()) {
      all.emplace_back(drawn_text(talk), tr("held, in any window: talk while you are muted"));
    }
    for (const KeyHelp& help : key_help(keys)) all.emplace_back(tr(help.keys), tr(help.effect));
    const float whole = ImGui::GetTextLineHeightWithSpacing() * static_cast<float>(all.size() + 3);
    const std::size_t rows = whole > display.y ? (all.size() + 1) / 2 : all.size();
    if (ImGui::BeginTable("keys", rows < all.size() ? 4 : 2, ImGuiTableFlags_SizingFixedFit)) {
      for (std::size_t row = 0; row < rows; ++row) {
        ImGui::TableNextRow();
        for (std::size_t i = row; i < all.size(); i += rows) {
          ImGui::TableNextColumn();
          ImGui::PushStyleColor(ImGuiCol_Text, kAmber);
          ImGui::TextUnformatted(all[i].first.c_str());
          ImGui::PopStyleColor();
          ImGui::TableNextColumn();
          ImGui::TextUnformatted(all[i].second);
        }
      }
      ImGui::EndTable();
    }
  }
  ImGui::End();
  ImGui::PopStyleColor();
}

void draw_waiting(const std::string& waiting) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const ImVec2 text = ImGui::CalcTextSize(waiting.c_str());
  const ImVec2 place{(display.x - text.x) / 2, (display.y - text.y) / 2};
  ImGui::GetBackgroundDrawList()->AddText(place, kFaint, waiting.c_str());
}

float banner_height(const std::string& text) {
  const ImVec2 size = banner_text_size(drawn_text(text));
  return size.y > 0 ? size.y + 2 * kPadding : 0.0f;
}

void draw_banner(const std::string& text, float above) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const std::string shown = drawn_text(text);
  const ImVec2 size = banner_text_size(shown);
  if (size.y <= 0) return;
  const float height = size.y + 2 * kPadding;
  ImGui::SetNextWindowPos({0, display.y - height - above});
  ImGui::SetNextWindowSize({display.x, height});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, kBannerGround);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {kPadding, kPadding});
  if (ImGui::Begin("banner", nullptr, kFlags)) {
    ImGui::SetCursorPosX((display.x - size.x) / 2);
    ImGui::PushTextWrapPos(display.x - kPadding + 1);
    ImGui::TextUnformatted(shown.c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

}  // namespace qvid::ui
