// The glyphs of ImGui's atlas that are painted (ui/text/glyph_painter.h), each under a code of 16
// bits.
//
//   reserve -> the atlas is built -> place
//
// Keeps what was painted, as long as it is wanted again at the same size. Bounded: kMost, the first
// ones of those that are wanted. Thread: the main thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "ui/text/glyph_painter.h"

struct ImFontAtlas;

namespace qvid::ui {

class PaintedGlyphs {
 public:
  static constexpr std::size_t kMost = 512;
  struct Wanted {
    char32_t code = 0;
    char32_t character = 0;
    const FontData* font = nullptr;  // lives as long as this
  };

  // At so many pixels an em. Before the atlas is built.
  void reserve(ImFontAtlas& atlas, const std::vector<Wanted>& wanted, float em);
  // Into its first font. Its texture is in colours from now on.
  void place(ImFontAtlas& atlas) const;

 private:
  struct Placed {
    char32_t code;
    int rectangle;  // of the atlas
    const PaintedGlyph* glyph;
  };
  GlyphPainter painter_;
  std::map<char32_t, std::optional<PaintedGlyph>> painted_;  // by character
  std::vector<Placed> placed_;
  float em_ = 0;
};

}  // namespace qvid::ui
