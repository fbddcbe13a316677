#include "ui/window/focus.h"

#include <imgui_internal.h>

#include <cmath>

#include "ui/text/fonts.h"

namespace qvid::ui {

void draw_by_keys(const std::function<void()>& content) {
  // The mark is always there (show_focus).
#if IMGUI_VERSION_NUM >= 19140
  ImGui::GetCurrentContext()->NavCursorVisible = true;
  content();
#elif IMGUI_VERSION_NUM >= 18900
  ImGui::GetCurrentContext()->NavDisableHighlight = false;
  content();
#else
  // Fields alone are stops of its Tab key, which does not leave what is no field; and where it led Space
  // does nothing.
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Tab))) {
    ImGuiContext& context = *ImGui::GetCurrentContext();
    context.NavDisableHighlight = false;
    if (context.NavTabbingDir == 0) context.NavTabbingDir = 1;
  }
  ImGui::PushItemFlag(ImGuiItemFlags_Inputable, true);
  content();
  ImGui::PopItemFlag();
#endif
}

// ImGui's own mark appears with the first key alone.
void show_focus() {
  if (!ImGui::IsItemFocused()) return;
  const ImVec2 min = ImGui::GetItemRectMin();
  const ImVec2 max = ImGui::GetItemRectMax();
  ImGui::GetWindowDrawList()->AddRect({min.x - 2, min.y - 2}, {max.x + 2, max.y + 2}, kFocus,
                                      kRounded, 0, 2);
}

void focus_last_item() { ImGui::SetFocusID(ImGui::GetItemID(), ImGui::GetCurrentWindow()); }

// ImGui 1.86 presses by Space alone, later ones by Enter, too.
bool entered() {
#if IMGUI_VERSION_NUM >= 18900
  return false;
#else
  return ImGui::IsItemFocused() && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter), false);
#endif
}

// There is room for two lines: the text's own, or one of each.
static void write_beside_picture(const Box& room, const std::string& text, const std::string& more,
                                 bool lit) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Paragraph first(text, room.width(), more.empty() ? 2 : 1);
  const float both = first.size().y + (more.empty() ? 0 : line_height());
  const float top = std::floor(room.min.y + (room.height() - both) / 2);
  first.write(list, {room.min.x, top}, kBright);
  list.AddText({room.min.x, top + first.size().y}, lit ? kBright : kFaint,
               drawn_text(shortened(more, room.width())).c_str());
}

bool draw_line(const std::string& id, const std::string& text, const std::string& more,
               LineMark mark, const std::function<void(const Box&)>& picture) {
  constexpr float kDot = 4;  // radius
  const ImVec2 inner = ImGui::GetStyle().FramePadding;
  ImGui::PushID(id.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = picture ? kLinePicture.y + 2 * inner.y : line_height() + 2 * inner.y;
  const bool pressed = ImGui::Button("##line", {width, height});
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  show_focus();
  const bool entered_too = entered();
  ImGui::PopID();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float left = at.x + inner.x;  // of what is next
  if (mark == LineMark::kDot) list.AddCircleFilled({left + kDot, at.y + height / 2}, kDot, kGreen);
  if (mark != LineMark::kNone) left += 2 * kDot + inner.x;
  if (picture) {
    const ImVec2 min{left, at.y + inner.y};
    picture({min, {min.x + kLinePicture.x, min.y + kLinePicture.y}});
    left += kLinePicture.x + 2 * inner.x;
  }
  const float end = at.x + width - inner.x;
  if (picture) {
    write_beside_picture({{left, at.y}, {end, at.y + height}}, text, more, lit);
    return pressed || entered_too;
  }
  const float top = at.y + (height - line_height()) / 2;
  const std::string first = shortened(text, end - left);
  list.AddText({left, top}, kBright, drawn_text(first).c_str());
  left += width_of(first) + 2 * inner.x;
  const std::string second = shortened(more, end - left);
  list.AddText({left, top}, lit ? kBright : kFaint, drawn_text(second).c_str());
  return pressed || entered_too;
}

void draw_box(const std::string& text, bool& ticked) {
  ImGui::Checkbox(drawn_text(text).c_str(), &ticked);
  if (entered()) ticked = !ticked;
  show_focus();
}

}  // namespace qvid::ui
