// Glyphs as pictures, of fonts and characters that ImGui's reader of fonts (stb_truetype) does not
// take: those beyond its 16 bits, and those in colours, by FreeType.
//
// Keeps a face for each font that was used. Thread: the main thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ui/text/font_files.h"

namespace qvid::ui {

// In pixels.
struct PaintedGlyph {
  int width = 0;
  int height = 0;
  float left = 0;   // from where the pen is
  float above = 0;  // its upper edge, over the line that letters stand on
  float advance = 0;
  bool coloured = false;  // else white: the text's colour
  std::vector<std::uint32_t>
      rgba;  // width * height: red, green, blue, alpha in memory, not multiplied
};

class GlyphPainter {
 public:
  static constexpr int kMostSide = 256;  // pixels of a glyph; a larger one is not painted

  GlyphPainter();
  ~GlyphPainter();
  GlyphPainter(const GlyphPainter&) = delete;
  GlyphPainter& operator=(const GlyphPainter&) = delete;

  // At so many pixels an em. Empty: the font does not draw it. `font` lives as long as this.
  std::optional<PaintedGlyph> paint(const FontData& font, char32_t c, float em);

 private:
  struct Library;
  struct Face;

  std::unique_ptr<Library> library_;
  std::map<const FontData*, std::unique_ptr<Face>> faces_;  // null: FreeType cannot read it
};

}  // namespace qvid::ui
