// Text that came from elsewhere, on its way to a terminal or a log.
#pragma once

#include <string>

namespace qvid {

// Without control characters: no escape sequence reaches a terminal, no newline forges a log line.
inline std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  return text;
}

}  // namespace qvid
