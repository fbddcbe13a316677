// Text in the order and the forms in which it is drawn, one character after the other from the
// left: the windows' fonts (ui/text/fonts.h) know nothing of scripts.
//
//   "abc \u05D0\u05D1\u05D2"  ->  "abc \u05D2\u05D1\u05D0"   Hebrew and Arabic run to the left (Unicode's UAX 9)
//   "\u0639\u0644\u064A"      ->  the joined forms of the three, the first at the right
//
// Of emoji that are joined to one (Unicode's TR 51) the first is drawn, without a colour of skin, and
// of a flag its two letters. Private characters are shown as U+FFFD: ui/text/stand_ins.h uses their
// codes.
//
// The line itself runs to the right, as all of the interface does. Scripts that need more than this
// (Devanagari and its relatives) are drawn letter by letter. Pure; what FriBidi does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace qvid::ui {

inline constexpr char32_t kNoGlyph = 0xfffd;     // stands for what cannot be shown
inline constexpr std::size_t kMostShown = 4096;  // characters; what is beyond is not drawn

// `text`: UTF-8, of which what is none is shown as U+FFFD. Control characters become blanks, also
// those that end a line; what is not seen by itself, or turns the direction, goes.
std::string shown_text(std::string_view text);

// Adds it as UTF-8. Precondition: `c` is a character (at most U+10FFFF).
void append_character(std::string& text, char32_t c);

// Of the first plane's private use area: what it means is known to a font alone.
constexpr bool is_private(char32_t c) { return c >= 0xe000 && c <= 0xf8ff; }

// Lies over the character before it.
bool is_mark(char32_t c);

}  // namespace qvid::ui
