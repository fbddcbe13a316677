// Which characters a window's fonts are to hold: a few always, any other from when it is drawn for
// the first time.
//
//   begin -> { note }* -> lacking? -> load, and the drawing is done again
//
// Bounded: kMost beyond those that are always there. Where there is no room for what is drawn anew,
// all go that are not drawn now. Pure.
#pragma once

#include <bitset>
#include <cstddef>
#include <vector>

namespace qvid::ui {

class CharacterSet {
 public:
  static constexpr std::size_t kMost = 2048;
  static constexpr std::size_t kCodes = 0x10000;  // the fonts know Unicode's first plane alone

  // A drawing begins.
  void begin() { drawn_.reset(); }
  void note(char32_t c) {
    if (c < kCodes) drawn_.set(c);
  }
  // Something is drawn that is not loaded, and was not left out for want of room.
  bool lacking() const { return (drawn_ & ~loaded_).any() && drawn_ != full_; }
  // What is to be loaded from now on, in ascending order.
  std::vector<char32_t> load();

 private:
  using Codes = std::bitset<kCodes>;
  Codes drawn_;
  Codes loaded_;
  Codes full_;  // a drawing of more than kMost; else empty
};

}  // namespace qvid::ui
