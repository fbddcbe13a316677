#include "ui/window/paint.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "ui/text/fonts.h"
#include "ui/text/shown_text.h"
#include "ui/window/tile_model.h"

namespace qvid::ui {

namespace {

// Units a pixel.
float pixel() { return 1 / ImGui::GetIO().DisplayFramebufferScale.x; }

Box whole_pixels(const Box& box) {
  const float p = pixel();
  return {{std::floor(box.min.x / p) * p, std::floor(box.min.y / p) * p},
          {std::ceil(box.max.x / p) * p, std::ceil(box.max.y / p) * p}};
}

// Rows of pixels at the upper and lower edge are shorter, as a quarter of a circle is: as many of the
// same length are one rectangle. None overlap: the colour may be translucent.
void fill_slices(const Box& box, float radius, ImU32 color) {
  const float p = pixel();
  const auto inset = [&](float row) {  // its upper edge, from the box's
    const float up = radius - row - p / 2;
    return std::round((radius - std::sqrt(std::max(0.0f, radius * radius - up * up))) / p) * p;
  };
  float begin = 0;
  for (float row = p; begin < radius && row < radius + p; row += p) {
    const float now = inset(begin);
    if (row < radius && inset(row) == now) continue;
    if (now == 0) break;
    ground().AddRectFilled({box.min.x + now, box.min.y + begin}, {box.max.x - now, box.min.y + row},
                           color);
    ground().AddRectFilled({box.min.x + now, box.max.y - row}, {box.max.x - now, box.max.y - begin},
                           color);
    begin = row;
  }
  ground().AddRectFilled({box.min.x, box.min.y + begin}, {box.max.x, box.max.y - begin}, color);
}

}  // namespace

Box box_of(const Rectangle& r) {
  const auto x = static_cast<float>(r.x);
  const auto y = static_cast<float>(r.y);
  return {{x, y}, {x + static_cast<float>(r.width), y + static_cast<float>(r.height)}};
}

ImU32 disc_color(const std::string& name) {
  std::uint32_t sum = 0;
  for (const char c : name) sum = sum * 31 + static_cast<unsigned char>(c);
  return kDiscs[sum % std::size(kDiscs)];
}

ImDrawList& ground() { return *ImGui::GetBackgroundDrawList(); }

void draw_outline(const Box& box, float inset, float thickness, ImU32 color) {
  const ImVec2 min{box.min.x + inset, box.min.y + inset};
  const ImVec2 max{box.max.x - inset, box.max.y - inset};
  if (max.x - min.x < 2 * thickness || max.y - min.y < 2 * thickness) return;
  ground().AddRectFilled(min, {max.x, min.y + thickness}, color);
  ground().AddRectFilled({min.x, max.y - thickness}, max, color);
  ground().AddRectFilled({min.x, min.y + thickness}, {min.x + thickness, max.y - thickness}, color);
  ground().AddRectFilled({max.x - thickness, min.y + thickness}, {max.x, max.y - thickness}, color);
}

void fill_plain(const Box& box, ImU32 color) { fill_slices(whole_pixels(box), 0, color); }

void fill_rounded(const Box& box, ImU32 color) {
  const Box pixels = whole_pixels(box);
  const float radius = std::min({kRounded, pixels.width() / 2, pixels.height() / 2});
  fill_slices(pixels, radius, color);
}

float line_height() { return ImGui::GetFontSize(); }
float width_of(const std::string& text) {
  return ImGui::CalcTextSize(measured_text(text).c_str()).x;
}

std::string shortened(const std::string& text, float width) {
  static constexpr char kDots[] = "...";
  std::string line = one_line(text);
  if (width_of(line) <= width + 1) return line;
  // After each character but before marks that belong to it: where the text may end.
  std::vector<std::size_t> ends{0};
  for (std::string_view rest = line; !rest.empty() && ends.size() < kMostShown;) {
    const bool mark = is_mark(take_character(rest));
    if (mark && ends.size() > 1) ends.pop_back();
    ends.push_back(line.size() - rest.size());
  }
  const auto too_wide = std::partition_point(ends.begin() + 1, ends.end(), [&](std::size_t end) {
    return width_of(line.substr(0, end) + kDots) <= width;
  });
  const std::size_t end = *(too_wide - 1);
  return end == 0 ? std::string() : line.substr(0, end) + kDots;
}

void write(const ImVec2& at, ImU32 color, const std::string& text) {
  ground().AddText({std::floor(at.x), std::floor(at.y)}, color, drawn_text(text).c_str());
}

Paragraph::Paragraph(const std::string& text, float width, int most_lines) : width_(width) {
  const auto lines = static_cast<float>(most_lines);
  // Where words are wrapped, a line may be less than full: what is too much then is cut off, too.
  for (float most = width * lines; most > 0; most -= width / 4) {
    shown_ = drawn_text(shortened(text, most));
    if (shown_.empty()) return;
    size_ = ImGui::CalcTextSize(shown_.c_str(), nullptr, false, most_lines > 1 ? width : -1.0F);
    if (size_.y <= lines * ImGui::GetTextLineHeight() + 1) return;
  }
}

void Paragraph::write(ImDrawList& list, const ImVec2& at, ImU32 color) const {
  list.AddText(ImGui::GetFont(), ImGui::GetFontSize(), {std::floor(at.x), std::floor(at.y)}, color,
               shown_.c_str(), nullptr, width_ + 1);
}

}  // namespace qvid::ui
