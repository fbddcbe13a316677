// Codes that stand for characters beyond Unicode's first plane (most emoji): ImGui, as
// distributions build it, has 16 bits for a character. Those of what is drawn are of the private use
// area, of which no other text is drawn (ui/text/shown_text.h), so nobody can write one that is
// another's.
//
//   begin -> { shown }* -> changed? -> load, and the drawing is done again
//
// Bounded: kMostShown; where there is no room those go that were drawn the longest ago, but none that
// is drawn now: what is drawn beyond has none. What one types is kept, up to kMostTyped: a field
// holds its stand-ins. ImGui takes no private character into a field, so these are Glagolitic
// letters, which have stand-ins themselves. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace qvid::ui {

class StandIns {
 public:
  static constexpr char32_t kFirstShown = 0xe000;
  static constexpr std::size_t kMostShown = 256;
  static constexpr char32_t kFirstTyped = 0x2c00;
  static constexpr std::size_t kMostTyped = 96;
  using IsDrawable = std::function<bool(char32_t)>;  // some font has it

  // Of a field.
  static constexpr bool is_typed(char32_t c) {
    return c >= kFirstTyped && c < kFirstTyped + kMostTyped;
  }

  explicit StandIns(IsDrawable is_drawable) : is_drawable_(std::move(is_drawable)) {}

  // A drawing begins.
  void begin() { ++drawing_; }
  // The text with stand-ins for what needs one: U+FFFD where there is none.
  std::string shown(std::string_view text);
  // The same without taking any, to be measured: for what has none yet something about as wide.
  std::string measured(std::string_view text) const;
  // The same for a field of ImGui's, in which they stay good; and back. Here what no font has and
  // private characters have one, too, which is not drawn: what is in the field comes back as it was.
  std::string typed(std::string_view text);
  std::string text_of(std::string_view typed) const;

  // There are new ones since load().
  bool changed() const { return changed_; }
  struct StandIn {
    char32_t code;
    char32_t character;
  };
  // All that there are now.
  std::vector<StandIn> load();

 private:
  struct Shown {
    char32_t character = 0;     // 0: free
    std::uint64_t drawing = 0;  // the last one that had it
  };
  char32_t shown(char32_t c);
  char32_t typed(char32_t c);
  template <class Replace>
  static std::string replaced(std::string_view text, const Replace& replace);

  const IsDrawable is_drawable_;
  std::array<Shown, kMostShown> shown_{};
  std::map<char32_t, std::size_t> places_;  // in shown_, by character
  std::vector<char32_t> typed_;
  std::uint64_t drawing_ = 1;
  std::uint64_t full_ = 0;  // the drawing that has no room for more
  bool changed_ = false;
};

}  // namespace qvid::ui
