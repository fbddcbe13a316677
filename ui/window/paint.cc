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

struct PixelBox {
  int left;
  int top;
  int right;
  int bottom;
};

float pixels_per_unit() { return ImGui::GetIO().DisplayFramebufferScale.x; }

PixelBox whole_pixels(const Box& box) {
  constexpr float kSame = 1.0f / 64;  // what a product of units and scale may be off
  const float scale = pixels_per_unit();
  const auto down = [&](float units) {
    return static_cast<int>(std::floor(units * scale + kSame));
  };
  const auto up = [&](float units) { return static_cast<int>(std::ceil(units * scale - kSame)); };
  return {down(box.min.x), down(box.min.y), up(box.max.x), up(box.max.y)};
}

void fill_pixels(const PixelBox& box, ImU32 color) {
  const float scale = pixels_per_unit();
  const auto units = [&](int x, int y) {
    return ImVec2(static_cast<float>(x) / scale, static_cast<float>(y) / scale);
  };
  if (box.left >= box.right || box.top >= box.bottom) return;
  ground().AddRectFilled(units(box.left, box.top), units(box.right, box.bottom), color);
}

// Rows of pixels at the upper and lower edge are shorter, as a quarter of a circle is: as many of the
// same length are one rectangle. None overlap: the colour may be translucent.
void fill_slices(const PixelBox& box, int radius, ImU32 color) {
  const auto inset = [&](int row) {
    const auto r = static_cast<float>(radius);
    const float up = r - static_cast<float>(row) - 0.5f;
    return static_cast<int>(std::lround(r - std::sqrt(std::max(0.0f, r * r - up * up))));
  };
  int begin = 0;
  while (begin < radius && inset(begin) > 0) {
    const int now = inset(begin);
    int end = begin + 1;
    while (end < radius && inset(end) == now) ++end;
    fill_pixels({box.left + now, box.top + begin, box.right - now, box.top + end}, color);
    fill_pixels({box.left + now, box.bottom - end, box.right - now, box.bottom - begin}, color);
    begin = end;
  }
  fill_pixels({box.left, box.top + begin, box.right, box.bottom - begin}, color);
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
  const PixelBox pixels = whole_pixels(box);
  const int side = std::min(pixels.right - pixels.left, pixels.bottom - pixels.top);
  const auto radius = static_cast<int>(std::lround(kRounded * pixels_per_unit()));
  fill_slices(pixels, std::clamp(radius, 0, std::max(side / 2, 0)), color);
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
