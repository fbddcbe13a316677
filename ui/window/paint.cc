#include "ui/window/paint.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ui/window/tile_model.h"

namespace qvid::ui {

Box box_of(const Rectangle& r) {
  const auto x = static_cast<float>(r.x);
  const auto y = static_cast<float>(r.y);
  return {{x, y}, {x + static_cast<float>(r.width), y + static_cast<float>(r.height)}};
}

ImDrawList& ground() { return *ImGui::GetBackgroundDrawList(); }

float line_height() { return ImGui::GetFontSize(); }
float width_of(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }

std::string shortened(const std::string& text, float width) {
  static constexpr char kDots[] = "...";
  std::string line = one_line(text);
  const auto fitting = [&](float room) {
    const char* rest = nullptr;
    const char* end = line.data() + line.size();
    ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), std::max(room, 0.0f), 0, line.data(), end,
                                    &rest);
    return static_cast<std::size_t>(rest - line.data());
  };
  if (fitting(width + 1) == line.size()) return line;
  line.resize(fitting(width - width_of(kDots)));
  return line.empty() ? std::string() : line + kDots;
}

void write(const ImVec2& at, ImU32 color, const std::string& text) {
  ground().AddText({std::floor(at.x), std::floor(at.y)}, color, text.c_str());
}

}  // namespace qvid::ui
