// What a window writes with: ImGui's font atlas, filled from the installed fonts with what is drawn.
//
//   begin -> { drawn_text }* -> lacking? -> begin: build, and the drawing is done again
//
// Latin-1 is always there; any other character is taken from the first installed font that has it
// (ui/text/font_files.h), at the size of the interface's. Characters beyond Unicode's first plane
// (most emoji) are shown as U+FFFD: ImGui knows none as the distributions build it.
//
// Thread: the main thread.
#pragma once

#include <string>
#include <string_view>

#include "ui/text/character_set.h"
#include "ui/text/font_files.h"

namespace qvid::ui {

class Fonts {
 public:
  // The next drawing begins.
  void begin() { characters_.begin(); }
  void note(std::string_view shown);
  bool lacking() const { return characters_.lacking(); }
  // The current ImGui context's atlas, at so many pixels per unit, with what was noted; its texture
  // is the caller's to load.
  void build(float pixels_per_unit);

 private:
  FontFiles files_;
  CharacterSet characters_;
};

// The text as it is drawn (ui/text/shown_text.h), its characters noted at the current ImGui
// context's fonts, which are its io.UserData.
std::string drawn_text(std::string_view text);
// The same of a text that is drawn as it is: that of a field, while it is typed.
void note_text(std::string_view text);

}  // namespace qvid::ui
