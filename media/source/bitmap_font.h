// Letters of 5 x 7 dots: what the test scene writes. Any other character is a blank.
#pragma once

#include <array>
#include <cstdint>

namespace qvid::media {

inline constexpr int kGlyphWidth = 5;
inline constexpr int kGlyphHeight = 7;
inline constexpr int kGlyphAdvance = 6;  // with the gap to the next

// Rows from the top; bit 4 is the left dot.
using Glyph = std::array<std::uint8_t, kGlyphHeight>;

constexpr Glyph glyph_of(char c) {
  switch (c) {
    case '0': return {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110};
    case '1': return {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110};
    case '2': return {0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111};
    case '3': return {0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110};
    case '4': return {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010};
    case '5': return {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110};
    case '6': return {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110};
    case '7': return {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000};
    case '8': return {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110};
    case '9': return {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100};
    case ':': return {0b00000, 0b00100, 0b00100, 0b00000, 0b00100, 0b00100, 0b00000};
    case '.': return {0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b01100};
    case '#': return {0b01010, 0b01010, 0b11111, 0b01010, 0b11111, 0b01010, 0b01010};
    case 'Q': return {0b01110, 0b10001, 0b10001, 0b10001, 0b10101, 0b10010, 0b01101};
    case 'd': return {0b00001, 0b00001, 0b01101, 0b10011, 0b10001, 0b10011, 0b01101};
    case 'i': return {0b00100, 0b00000, 0b01100, 0b00100, 0b00100, 0b00100, 0b01110};
    case 'v': return {0b00000, 0b00000, 0b10001, 0b10001, 0b10001, 0b01010, 0b00100};
    default: return {};
  }
}

}  // namespace qvid::media
