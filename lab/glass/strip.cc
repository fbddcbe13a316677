#include "lab/glass/strip.h"

#include <cstddef>

#include "lab/glass/clock_time.h"

namespace qvid::lab {
namespace {

constexpr int kCheckBits = kCells - kNumberBits;
constexpr std::uint32_t kLowBits = (1u << kNumberBits) - 1;
// Inside of the range of a screen, so that a conversion to limited range clips nothing.
constexpr std::uint32_t kLight = 0xe8e8e8;
constexpr std::uint32_t kDark = 0x181818;
constexpr std::uint32_t kMagenta = 0xff00ff;
constexpr std::int64_t kOldestSeconds = 120;

// CRC-8 with the polynomial x^8 + x^2 + x + 1; its begin is not 0, so that a black strip is no
// number.
std::uint32_t check_of(std::uint32_t bits) {
  std::uint32_t check = 0x5a;
  for (int i = kNumberBits - 1; i >= 0; --i) {
    const bool divides = ((check >> 7) ^ ((bits >> i) & 1u)) != 0;
    check = (check << 1 & 0xffu) ^ (divides ? 0x07u : 0u);
  }
  return check;
}

void fill(std::span<std::uint32_t> picture, int x, int width, int y, int height,
          std::uint32_t color) {
  for (int row = y; row < y + height; ++row) {
    for (int column = x; column < x + width; ++column) {
      picture[static_cast<std::size_t>(row) * kClockWidth + static_cast<std::size_t>(column)] =
          color;
    }
  }
}

}  // namespace

std::uint32_t cells_of(std::int64_t number) {
  const auto low = static_cast<std::uint32_t>(number) & kLowBits;
  const std::uint32_t gray = low ^ (low >> 1);
  return gray << kCheckBits | check_of(gray);
}

std::optional<int> number_of_cells(std::uint32_t cells) {
  const std::uint32_t gray = cells >> kCheckBits;
  if (gray > kLowBits || check_of(gray) != (cells & 0xffu)) return std::nullopt;
  std::uint32_t number = gray;
  for (int shift = 1; shift < kNumberBits; shift <<= 1) number ^= number >> shift;
  return static_cast<int>(number);
}

std::optional<std::int64_t> whole_number(int low_bits, std::int64_t newest) {
  constexpr std::int64_t kOldest = kOldestSeconds * kClockRate.numerator / kClockRate.denominator;
  static_assert(kOldest < std::int64_t{kLowBits});
  const std::int64_t age = (newest - low_bits) & std::int64_t{kLowBits};
  if (age > kOldest || age > newest) return std::nullopt;
  return newest - age;
}

void draw_strip(std::span<std::uint32_t> picture, std::int64_t number) {
  fill(picture, 0, kBarWidth, 0, kStripHeight, kMagenta);
  fill(picture, kClockWidth - kBarWidth, kBarWidth, 0, kStripHeight, kMagenta);
  const std::uint32_t cells = cells_of(number);
  constexpr int kHalf = kStripHeight / 2;
  for (int cell = 0; cell < kCells; ++cell) {
    const bool one = (cells >> (kCells - 1 - cell) & 1u) != 0;
    const int x = kBarWidth + cell * kCellWidth;
    fill(picture, x, kCellWidth, 0, kHalf, one ? kLight : kDark);
    fill(picture, x, kCellWidth, kHalf, kHalf, one ? kDark : kLight);
  }
}

}  // namespace qvid::lab
