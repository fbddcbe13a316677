// Text that came from elsewhere, on its way to a terminal or a log.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace qvid {

// Without control characters: no escape sequence reaches a terminal, no newline forges a log line.
// Also those of 8 bits, as UTF-8 has them (C2 80 to C2 9F).
inline std::string printable(std::string text) {
  unsigned char before = 0;
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool wide_control = before == 0xc2 && byte >= 0x80 && byte < 0xa0;
    if (byte < 0x20 || byte == 0x7f || wide_control) c = '?';
    before = byte;
  }
  return text;
}

// What somebody wrote, as a message names it: 'text', printable, and of a long one its beginning:
// at most `longest` bytes and three dots, and no part of a character of UTF-8.
inline std::string in_quotes(std::string_view text, std::size_t longest = 80) {
  std::size_t end = std::min(longest, text.size());
  if (end < text.size()) {
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  }
  return "'" + printable(std::string(text.substr(0, end))) + (end < text.size() ? "...'" : "'");
}

}  // namespace qvid
