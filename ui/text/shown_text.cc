#include "ui/text/shown_text.h"

#include <fribidi.h>

#include <utility>
#include <vector>

#include "base/text.h"

namespace qvid::ui {
namespace {

constexpr char32_t kFirstToTheLeft = 0x590;  // Hebrew; all before runs to the right

// Joiners and variation selectors: for what chooses the forms, and that is done.
bool is_selector(char32_t c) { return c == 0x200c || c == 0x200d || (c >= 0xfe00 && c <= 0xfe0f); }

bool is_pictograph(char32_t c) {
  return (c >= 0x1f000 && c <= 0x1faff) || (c >= 0x2190 && c <= 0x2bff) || c == 0x3030 ||
         c == 0x303d || c == 0x3297 || c == 0x3299;
}

// What is left of sequences of emoji.
class EmojiSequence {
 public:
  // False: it is not drawn.
  bool takes(char32_t c) {
    constexpr char32_t kJoiner = 0x200d;
    const bool skin = c >= 0x1f3fb && c <= 0x1f3ff;
    if (behind_one_ && (skin || is_selector(c))) {
      joined_ = joined_ || c == kJoiner;
      return false;
    }
    if (std::exchange(joined_, false) && is_pictograph(c)) return false;
    behind_one_ = is_pictograph(c);
    return true;
  }

 private:
  bool behind_one_ = false;  // a pictograph was the last that was taken
  bool joined_ = false;      // and what comes next belongs to it
};

char32_t drawn_form(char32_t c) {
  constexpr char32_t kFlagA = 0x1f1e6;
  constexpr char32_t kFlagZ = 0x1f1ff;
  if (c >= kFlagA && c <= kFlagZ) return U'A' + (c - kFlagA);
  if (c == kNoCharacter || is_private(c)) return kNoGlyph;
  return is_control(c) ? U' ' : c;
}

}  // namespace

void append_character(std::string& text, char32_t c) {
  const auto trail = [&](int shift) { text += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xc0 | (c >> 6));
    trail(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xe0 | (c >> 12));
    trail(6);
    trail(0);
  } else {
    text += static_cast<char>(0xf0 | (c >> 18));
    trail(12);
    trail(6);
    trail(0);
  }
}

bool is_mark(char32_t c) {
  return c != kNoCharacter && fribidi_get_bidi_type(c) == FRIBIDI_TYPE_NSM;
}

std::string shown_text(std::string_view text) {
  std::vector<FriBidiChar> characters;
  bool to_the_left = false;
  EmojiSequence emoji;
  while (!text.empty() && characters.size() < kMostShown) {
    const char32_t c = take_character(text);
    if (is_direction(c) || !emoji.takes(c)) continue;
    to_the_left = to_the_left || (c >= kFirstToTheLeft && c != kNoCharacter);
    characters.push_back(drawn_form(c));
  }
  if (to_the_left) {
    std::vector<FriBidiChar> ordered(characters.size() + 1);  // it ends the text by a zero
    FriBidiParType direction = FRIBIDI_PAR_LTR;
    if (fribidi_log2vis(characters.data(), static_cast<FriBidiStrIndex>(characters.size()),
                        &direction, ordered.data(), nullptr, nullptr, nullptr) != 0) {
      ordered.pop_back();
      characters = std::move(ordered);
    }
  }
  std::string shown;
  for (const FriBidiChar c : characters) {
    if (c == kNoGlyph || (!is_selector(c) && !is_invisible(c))) append_character(shown, c);
  }
  return shown;
}

}  // namespace qvid::ui
