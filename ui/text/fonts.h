// What a window writes with: ImGui's font atlas, filled from the installed fonts with what is drawn.
//
//   begin -> { drawn_text }* -> lacking? -> begin: build, and the drawing is done again
//
// Latin-1 is always there; any other character is taken from the first installed font that has it
// (ui/text/font_files.h), at the size of the interface's. Characters beyond Unicode's first plane
// (most emoji) are written by stand-ins (ui/text/stand_ins.h), whose glyphs are painted into the
// atlas, in colours where the font has some.
//
// Thread: the main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ui/text/character_set.h"
#include "ui/text/font_files.h"
#include "ui/text/painted_glyphs.h"
#include "ui/text/stand_ins.h"

namespace qvid::ui {

class Fonts {
 public:
  // The next drawing begins.
  void begin() {
    characters_.begin();
    stand_ins_.begin();
  }
  void note(std::string_view shown);
  bool lacking() const { return characters_.lacking() || stand_ins_.changed(); }
  StandIns& stand_ins() { return stand_ins_; }
  // The current ImGui context's atlas, at so many pixels per unit, with what was noted; its texture
  // is the caller's to load.
  void build(float pixels_per_unit);
  std::uint64_t built() const { return built_; }

 private:
  std::vector<PaintedGlyphs::Wanted> to_paint(const std::vector<char32_t>& not_covered);

  FontFiles files_;
  CharacterSet characters_;
  StandIns stand_ins_{[this](char32_t c) { return files_.has(c); }};
  PaintedGlyphs painted_;
  std::uint64_t built_ = 0;
};

// The text as it is drawn (ui/text/shown_text.h), its characters noted at the current ImGui
// context's fonts, which are its io.UserData.
std::string drawn_text(std::string_view text);
// The same for what is measured, and maybe not drawn: no stand-in is taken for it, and what has none
// yet has about its width. It may be another once fonts_built() is another.
std::string measured_text(std::string_view text);
// How often the current context's fonts were built.
std::uint64_t fonts_built();
// The text of one of ImGui's fields, which has its stand-ins, and draws it as it is: its characters
// are noted. What ImGui puts into a field is such a text already (ui/window/gui.h).
std::string field_text(std::string_view text);
// What is in such a field is noted.
void note_field(std::string_view typed);
// What is in a field, as UTF-8 of at most so many bytes; what is beyond goes. It is noted, too.
std::string text_of_field(std::string_view typed, std::size_t most_bytes);

}  // namespace qvid::ui
