// Letters and blanks of ASCII, and bytes as hexadecimal, whatever the locale: for names and protocols
// that are defined so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace qvid {

constexpr char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = lower_case(c);
  return lower;
}

// But for the case of letters.
constexpr bool is_same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower_case(x) == lower_case(y); });
}

// Without the blanks and line ends around it.
inline std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kBlanks);
  if (from == text.npos) return {};
  return std::string(text.substr(from, text.find_last_not_of(kBlanks) - from + 1));
}

// Two digits a byte, in lower case.
inline std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) text.append({kDigits[byte >> 4], kDigits[byte & 15]});
  return text;
}

}  // namespace qvid
