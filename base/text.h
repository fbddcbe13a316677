// Text that came from elsewhere, on its way to a terminal or a log.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace qvid {

inline constexpr char32_t kNoCharacter = 0xffffffff;  // the bytes are no UTF-8

// Takes the first character off a text that is not empty; of what is no UTF-8 the first byte.
inline char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : 4;
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // by size: shorter is another form
  char32_t value = size == 1 ? first : first & (0x7f >> size);
  bool sound = size <= text.size() && (size < 4 || first >> 3 == 30);
  for (std::size_t i = 1; sound && i < size; ++i) {
    sound = byte(i) >> 6 == 2;
    value = value << 6 | (byte(i) & 0x3f);
  }
  sound = sound && value >= kLeast[size] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
  text.remove_prefix(sound ? size : 1);
  return sound ? value : kNoCharacter;
}

constexpr bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); }

// Turns the direction of what is written after it, or marks it: what is read is not what is there.
constexpr bool is_direction(char32_t c) {
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

// Not seen by itself (Unicode's category Cf, but for the joiners), or no character.
constexpr bool is_invisible(char32_t c) {
  return c == 0xad || c == 0x034f || c == 0x115f || c == 0x1160 || c == 0x180e || c == 0x200b ||
         (c >= 0x2060 && c <= 0x206f) || c == 0x3164 || c == 0xfeff || c == 0xffa0 ||
         (c >= 0xfff0 && c <= 0xffff) || (c >= 0x1d173 && c <= 0x1d17a) ||
         (c >= 0xe0000 && c <= 0xe0fff);
}

// Without control characters: no escape sequence reaches a terminal, no newline forges a log line.
// Also those of 8 bits, and those that turn the direction.
inline std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = take_character(text);
    const auto first = static_cast<unsigned char>(before[0]);
    const bool raw_control = c == kNoCharacter && first < 0xa0;  // in an encoding of single bytes
    if (is_control(c) || is_direction(c) || raw_control) {
      shown += '?';
    } else {
      shown += before.substr(0, before.size() - text.size());
    }
  }
  return shown;
}

// What people write to each other, as one line that may be shown anywhere: control characters are
// blanks; what turns the direction or is not seen by itself goes, and so does what is no UTF-8 and
// what is blank at the ends.
inline std::string clean_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = take_character(text);
    if (c == kNoCharacter || is_direction(c) || is_invisible(c)) continue;
    if (is_control(c)) {
      line += ' ';
    } else {
      line += before.substr(0, before.size() - text.size());
    }
  }
  line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// What somebody wrote, as a message names it: 'text', printable, and of a long one its beginning:
// at most `longest` bytes and three dots, and no part of a character of UTF-8.
inline std::string in_quotes(std::string_view text, std::size_t longest = 80) {
  std::size_t end = std::min(longest, text.size());
  if (end < text.size()) {
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  }
  return "'" + printable(text.substr(0, end)) + (end < text.size() ? "...'" : "'");
}

}  // namespace qvid
