#include "ui/start/widgets.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "ui/start/start_model.h"
#include "ui/text/fonts.h"
#include "ui/window/focus.h"
#include "ui/window/paint.h"

namespace qvid::ui {
namespace {

constexpr float kPageMargin = 20;   // of a page
const ImVec2 kInner{8, 6};          // of a field
constexpr float kLeastButton = 72;  // units of width
constexpr float kWidest = 880;      // of what a page holds

struct Colour {
  ImGuiCol of;
  ImU32 is;
};
const std::array kColours {
  Colour{ImGuiCol_Text, kBright}, Colour{ImGuiCol_TextDisabled, kFaint},
      Colour{ImGuiCol_Button, kPlainGround}, Colour{ImGuiCol_ButtonHovered, kPlainHovered},
      Colour{ImGuiCol_ButtonActive, kPlainHovered}, Colour{ImGuiCol_FrameBg, kFieldGround},
      Colour{ImGuiCol_FrameBgHovered, kPlainGround}, Colour{ImGuiCol_FrameBgActive, kFieldGround},
      Colour{ImGuiCol_Border, kEdge}, Colour{ImGuiCol_PopupBg, kFieldGround},
      Colour{ImGuiCol_Header, kPrimaryGround}, Colour{ImGuiCol_HeaderHovered, kPlainHovered},
      Colour{ImGuiCol_HeaderActive, kPlainHovered}, Colour{ImGuiCol_CheckMark, kBright},
#if IMGUI_VERSION_NUM >= 19140
      Colour{ImGuiCol_NavCursor, kFocus},
#else
      Colour{ImGuiCol_NavHighlight, kFocus},
#endif
      Colour{ImGuiCol_TextSelectedBg, kPrimaryGround},
};

void label(const Field& field) {
  const float left = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(drawn_text(field.label).c_str());
  ImGui::SameLine();
  ImGui::SetCursorPosX(left + kLabelWidth);
  ImGui::SetNextItemWidth(std::max(60.0f, ImGui::GetContentRegionAvail().x - field.spare));
}

void coloured(const std::string& text, ImU32 colour, float width = 0) {
  if (text.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::PushTextWrapPos(width > 0 ? ImGui::GetCursorPosX() + width : 0);
  ImGui::TextUnformatted(drawn_text(text).c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

}  // namespace

PageStyle::PageStyle() {
  ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  ImGui::GetIO().ConfigInputTextCursorBlink = false;  // or it would be drawn for that alone
  for (const Colour& colour : kColours) ImGui::PushStyleColor(colour.of, colour.is);
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, kRounded);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, kInner);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(8, 6));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
}

PageStyle::~PageStyle() {
  ImGui::PopStyleVar(5);
  ImGui::PopStyleColor(static_cast<int>(kColours.size()));
}

void draw_page(const char* name, float below, const std::function<void()>& content) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float side = std::max(kPageMargin, (display.x - kWidest) / 2);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({display.x, std::max(0.0f, display.y - below)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(side, kPageMargin));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                      ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                      ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoBackground;
  const bool seen = ImGui::Begin(name, nullptr, kFlags);
  ImGui::PopStyleVar();  // else of the lists that open, too
  if (seen) draw_by_keys(content);
  ImGui::End();
}

void draw_title(const std::string& text) {
  ImGui::SetWindowFontScale(1.4f);
  ImGui::TextUnformatted(drawn_text(shortened(text, ImGui::GetContentRegionAvail().x)).c_str());
  ImGui::SetWindowFontScale(1);
  ImGui::Spacing();
}

void draw_trouble(const std::string& text) { coloured(text, kAmber); }
void draw_faint(const std::string& text, float width) { coloured(text, kFaint, width); }

float button_width(const std::string& text) {
  return std::max(kLeastButton, width_of(text) + 2 * kInner.x);
}

bool draw_button(const std::string& text, Weight weight, float width) {
  const bool primary = weight == Weight::kPrimary;
  if (primary) {
    ImGui::PushStyleColor(ImGuiCol_Button, kPrimaryGround);
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, kPrimaryHovered);
    ImGui::PushStyleColor(ImGuiCol_ButtonActive, kPrimaryHovered);
  }
  const bool pressed =
      ImGui::Button(drawn_text(text).c_str(), {width > 0 ? width : button_width(text), 0});
  if (primary) ImGui::PopStyleColor(3);
  show_focus();
  return entered() || pressed;
}

bool draw_field(const Field& field, std::string& text) {
  label(field);
  if (field.focused && ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  std::array<char, StartEntries::kMostBytes + 1> buffer{};
  const std::string before = field_text(text);
  std::memcpy(buffer.data(), before.data(), std::min(before.size(), buffer.size() - 1));
  const ImGuiInputTextFlags flags =
      ImGuiInputTextFlags_EnterReturnsTrue | (field.secret ? ImGuiInputTextFlags_Password : 0);
  const bool enter =
      ImGui::InputTextWithHint(("##" + field.label).c_str(), drawn_text(field.hint).c_str(),
                               buffer.data(), buffer.size(), flags);
  if (before != buffer.data()) text = text_of_field(buffer.data(), StartEntries::kMostBytes);
  show_focus();
  return enter;
}

void draw_choice(const Field& field, const std::vector<std::string>& names, std::size_t& chosen) {
  label(field);
  const std::string now = chosen < names.size() ? names[chosen] : std::string();
  const bool open = ImGui::BeginCombo(("##" + field.label).c_str(), drawn_text(now).c_str());
  if (!open) return show_focus();
  for (std::size_t i = 0; i < names.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(drawn_text(names[i]).c_str(), i == chosen) || entered()) {
      chosen = i;
      ImGui::CloseCurrentPopup();
    }
    if (i == chosen && ImGui::IsWindowAppearing()) ImGui::SetItemDefaultFocus();
    show_focus();
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

void draw_level(float level, float width) {
  constexpr float kHeight = 8;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + kHeight}, kFieldGround, kRounded);
  const float loud = std::clamp(level, 0.0f, 1.0f) * width;
  if (loud > 0) list.AddRectFilled(at, {at.x + loud, at.y + kHeight}, kGreen, kRounded);
  list.AddRect(at, {at.x + width, at.y + kHeight}, kEdge, kRounded);
  ImGui::Dummy({width, kHeight});
}

void draw_qr(const QrCode& code, float side) {
  if (code.side == 0) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const int all = code.side + 2 * QrCode::kQuiet;
  const float pixels = ImGui::GetIO().DisplayFramebufferScale.x;
  const float module = std::floor(side * pixels / static_cast<float>(all)) / pixels;
  if (module <= 0) return;
  const float whole = module * static_cast<float>(all);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + whole, at.y + whole}, kWhite);
  const auto modules = static_cast<std::size_t>(code.side);  // of a row
  for (int y = 0; y < code.side; ++y) {
    for (int x = 0; x < code.side; ++x) {
      if (!code.dark[static_cast<std::size_t>(y) * modules + static_cast<std::size_t>(x)]) continue;
      const ImVec2 corner{at.x + module * static_cast<float>(x + QrCode::kQuiet),
                          at.y + module * static_cast<float>(y + QrCode::kQuiet)};
      list.AddRectFilled(corner, {corner.x + module, corner.y + module}, kBlack);
    }
  }
  ImGui::Dummy({whole, whole});
}

}  // namespace qvid::ui
