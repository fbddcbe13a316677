#include "ui/text/painted_glyphs.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace qvid::ui {
namespace {

constexpr int kBorder = 1;  // pixels around each, so that none is blurred into its neighbour

}  // namespace

void PaintedGlyphs::reserve(ImFontAtlas& atlas, const std::vector<Wanted>& wanted, float em) {
  auto before = std::exchange(painted_, {});
  if (std::exchange(em_, em) != em) before.clear();
  placed_.clear();
  for (const Wanted& one : wanted) {
    if (placed_.size() == kMost) return;
    const auto [place, is_new] = painted_.try_emplace(one.character);
    if (is_new) {
      const auto known = before.find(one.character);
      place->second = known != before.end() ? std::move(known->second)
                                            : painter_.paint(*one.font, one.character, em);
    }
    const std::optional<PaintedGlyph>& glyph = place->second;
    if (!glyph || glyph->rgba.empty()) continue;
    const int rectangle =
        atlas.AddCustomRectRegular(glyph->width + 2 * kBorder, glyph->height + 2 * kBorder);
    placed_.push_back({one.code, rectangle, &*glyph});
  }
}

void PaintedGlyphs::place(ImFontAtlas& atlas) const {
  if (placed_.empty()) return;
  unsigned char* bytes = nullptr;
  int width = 0;
  atlas.GetTexDataAsRGBA32(&bytes, &width, nullptr);
  auto* const pixels = reinterpret_cast<std::uint32_t*>(bytes);
  ImFont& font = *atlas.Fonts[0];
  for (const auto& [code, rectangle, glyph] : placed_) {
    const ImFontAtlasCustomRect& at = *atlas.GetCustomRectByIndex(rectangle);
    if (!at.IsPacked()) continue;
    for (int y = 0; y < glyph->height; ++y) {
      std::copy_n(glyph->rgba.begin() + std::ptrdiff_t{y} * glyph->width, glyph->width,
                  pixels + std::ptrdiff_t{at.Y + kBorder + y} * width + at.X + kBorder);
    }
    ImVec2 from;
    ImVec2 to;
    atlas.CalcCustomRectUV(&at, &from, &to);
    const float left = std::round(glyph->left) - kBorder;
    const float top = std::round(font.Ascent - glyph->above) - kBorder;
    font.AddGlyph(nullptr, static_cast<ImWchar>(code), left, top, left + at.Width, top + at.Height,
                  from.x, from.y, to.x, to.y, std::round(glyph->advance));
    font.Glyphs.back().Colored = glyph->coloured ? 1 : 0;
  }
  font.BuildLookupTable();
}

}  // namespace qvid::ui
