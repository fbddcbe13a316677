// Text that came from elsewhere, on its way to a terminal or a log.
#pragma once

#include <string>

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

}  // namespace qvid
