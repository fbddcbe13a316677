// The installed fonts, as fontconfig knows them: the one of the interface, and which of the others
// hold a character that it lacks.
//
// Noto Sans where it is installed, else DejaVu Sans, else whatever is called "sans-serif"; the order
// of the others is fontconfig's, by the user's language. Those that are bitmaps or in colours are
// left out: what draws them (stb_truetype) reads outlines. The last of all is the program's own
// (ui/text/own_font.h).
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
  float per_em = 1;                   // height of a line, in ems: what ImGui takes as a font's size
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

 private:
  struct Installed;
  // Null: it is unfit, or of too many.
  const FontData* read(std::size_t number);
  // Which of the fonts has it: a number of the installed ones', behind them the program's own.
  std::optional<std::size_t> font_with(char32_t c);

  std::unique_ptr<Installed> installed_;
  FontData own_;
  std::map<std::size_t, std::unique_ptr<FontData>> read_;  // by number; null: unfit
};

}  // namespace qvid::ui
