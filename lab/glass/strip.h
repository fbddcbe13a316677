// The strip over the clock's picture that carries its number, made to be read after any codec:
//
//   |magenta 32 px| 24 cells of 24 px |magenta 32 px|     rows 0..19: the bit, rows 20..39: not it
//
// Each bit lies above its complement, so that no threshold has to be known, and the bars say where
// the strip is and how large. Bits, from the left: the 16 low ones of the number in Gray's code, so
// that consecutive numbers are cheap to code (one cell of these changes), then a CRC-8 of them.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace qvid::lab {

// Of the clock's picture, pixels.
inline constexpr int kClockWidth = 640;
inline constexpr int kClockHeight = 400;
inline constexpr int kStripHeight = 40;
inline constexpr int kBarWidth = 32;
inline constexpr int kCells = 24;
inline constexpr int kCellWidth = (kClockWidth - 2 * kBarWidth) / kCells;
inline constexpr int kNumberBits = 16;

// The cells of a number, the leftmost is the highest of 24 bits.
std::uint32_t cells_of(std::int64_t number);
// The low bits of the number; nothing: the cells are damaged.
std::optional<int> number_of_cells(std::uint32_t cells);

// The newest number that is not after `newest` and has these low bits; nothing where it would be
// over two minutes old: then it was misread.
std::optional<std::int64_t> whole_number(int low_bits, std::int64_t newest);

// Draws the bars and cells over the top kStripHeight rows. Precondition: `picture` has
// kClockWidth x kClockHeight pixels.
void draw_strip(std::span<std::uint32_t> picture, std::int64_t number);

}  // namespace qvid::lab
