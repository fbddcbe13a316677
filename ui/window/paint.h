// What the parts of a window are drawn with, where ImGui's own windows are too much:
// boxes, text on one line. Inside a frame of ImGui (ui/window/gui.h); units are the window's.
#pragma once

#include <imgui.h>

#include <string>

#include "ui/window/aspect.h"
#include "ui/window/colors.h"

namespace qvid::ui {

inline constexpr float kSpace = 6;
inline constexpr float kRounded = 4;

struct Box {
  ImVec2 min;
  ImVec2 max;
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
};
Box box_of(const Rectangle& r);

// Of the disc that has somebody's initials.
ImU32 disc_color(const std::string& name);

// Under the windows of ImGui.
ImDrawList& ground();
// A frame of that thickness, so far within the box; nothing where the box has no room for it. Of plain
// rectangles, which cost little where there is no graphics card (ui/window/imgui_renderer.cc).
void draw_outline(const Box& box, float inset, float thickness, ImU32 color);
// The whole pixels that hold the box, with rounded corners: of plain rectangles, for the same reason.
void fill_rounded(const Box& box, ImU32 color);
// Without rounded corners.
void fill_plain(const Box& box, ImU32 color);

float line_height();
float width_of(const std::string& text);
// As much of the text, on one line, as is so wide; what is cut off is told by dots.
std::string shortened(const std::string& text, float width);
void write(const ImVec2& at, ImU32 color, const std::string& text);

// Text in at most so many lines of that width, what is cut off told by dots.
class Paragraph {
 public:
  Paragraph(const std::string& text, float width, int most_lines);
  const ImVec2& size() const { return size_; }
  void write(const ImVec2& at, ImU32 color) const { write(ground(), at, color); }
  void write(ImDrawList& list, const ImVec2& at, ImU32 color) const;

 private:
  std::string shown_;
  float width_;
  ImVec2 size_{};
};

}  // namespace qvid::ui
