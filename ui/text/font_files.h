// The installed fonts, as fontconfig knows them: the one of the interface, and which of the others
// hold a character that it lacks.
//
// Noto Sans where it is installed, else DejaVu Sans, else whatever is called "sans-serif"; the order
// of the others is fontconfig's, by the user's language. Those in colours are for what is painted
// (ui/text/glyph_painter.h): what draws the others (stb_truetype) reads outlines. Bitmaps without
// colours are left out. The last of all is the program's own (ui/text/own_font.h).
//
// Bounds: kMostFonts are read, of kMostBytes each. Thread: the main thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace qvid::ui {

struct FontData {
  std::span<const unsigned char> bytes;
  int face = 0;                       // of several in a file
  float per_em = 1;                   // of outlines: a line's height in ems: ImGui's size
  std::vector<unsigned char> file{};  // whose bytes they are; empty: the program's
};

class FontFiles {
 public:
  static constexpr std::size_t kMostFonts = 16;
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  FontFiles();
  ~FontFiles();
  FontFiles(const FontFiles&) = delete;
  FontFiles& operator=(const FontFiles&) = delete;

  // Lives as long as this.
  const FontData& interface_font();
  struct Cover {
    const FontData* font;  // never null; lives as long as this
    std::vector<char32_t> characters;
  };
  // Each in the first font that has it, the interface's among them; in none: it is left out.
  std::vector<Cover> cover(std::span<const char32_t> characters);
  // The same for one that is to be painted: of pictographs, and of what no other has, the font in
  // colours. Null: none has it.
  const FontData* painted_font(char32_t c);
  bool has(char32_t c) const;

 private:
  struct Installed;
  bool holds(std::size_t number, char32_t c) const;
  // Null: it is unfit, or of too many.
  const FontData* read(std::size_t number);
  // Which of the fonts has it: a number of the installed ones', behind them the program's own.
  std::optional<std::size_t> font_with(char32_t c);

  std::unique_ptr<Installed> installed_;
  FontData own_;
  std::map<std::size_t, std::unique_ptr<FontData>> read_;  // by number; null: unfit
};

}  // namespace qvid::ui
