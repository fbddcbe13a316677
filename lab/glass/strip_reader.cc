#include "lab/glass/strip_reader.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/glass/strip.h"

namespace qvid::lab {
namespace {

// Blurred and with a codec's colours, a bar is still this much more red and blue than green.
constexpr int kLeastMagenta = 110;
constexpr int kLeastColour = 60;
constexpr int kLeastWidth = 100;  // of a strip, pixels: below it cells have no 4
constexpr std::size_t kLeastRows = 6;
constexpr int kMostHoles = 2;       // rows of a strip that are none, one after the other
constexpr int kLeastContrast = 40;  // of luma, between a bit and its complement

bool is_magenta(std::uint32_t pixel) {
  const int least = std::min(red_of(pixel), blue_of(pixel));
  return least > kLeastMagenta && green_of(pixel) < least - kLeastColour;
}

bool about(double value, double wanted, double low, double high) {
  return value > low * wanted && value < high * wanted;
}

struct Row {
  int x = 0;
  int y = 0;
  int width = 0;
};

// The row's part from the begin of one bar to the end of another.
std::optional<Row> row_between_bars(const Pixels& screen, int y) {
  int first = 0;
  while (first < screen.width && !is_magenta(screen.at(first, y))) ++first;
  if (first == screen.width) return std::nullopt;
  int last = screen.width - 1;
  while (!is_magenta(screen.at(last, y))) --last;
  int left_end = first;
  while (left_end < screen.width && is_magenta(screen.at(left_end, y))) ++left_end;
  int right_begin = last;
  while (right_begin >= 0 && is_magenta(screen.at(right_begin, y))) --right_begin;
  const int width = last - first + 1;
  const double bar = static_cast<double>(width) * kBarWidth / kClockWidth;
  if (width <= kLeastWidth || !about(left_end - first, bar, 0.65, 1.4) ||
      !about(last - right_begin, bar, 0.65, 1.4)) {
    return std::nullopt;
  }
  return Row{first, y, width};
}

template <class Member>
int median(const std::vector<Row>& rows, Member member) {
  std::vector<int> values;
  for (const Row& row : rows) values.push_back(row.*member);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<StripPlace> place_of(const std::vector<Row>& rows) {
  if (rows.size() < kLeastRows) return std::nullopt;
  const StripPlace place{.x = median(rows, &Row::x),
                         .y = rows.front().y,
                         .width = median(rows, &Row::width),
                         .height = rows.back().y - rows.front().y + 1};
  const double height = static_cast<double>(place.width) * kStripHeight / kClockWidth;
  if (!about(place.height, height, 0.75, 1.3)) return std::nullopt;
  return place;
}

// Rounded, of the middle half of a cell; at least one pixel.
struct Range {
  Range(double from, double to)
      : begin(static_cast<int>(std::lround(from))),
        end(std::max(static_cast<int>(std::lround(to)), begin + 1)) {}
  int begin;
  int end;
};

int mean_luma(const Pixels& pixels, const Range& columns, const Range& rows) {
  int sum = 0;
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = columns.begin; x < columns.end; ++x) sum += luma(pixels.at(x, y));
  }
  return sum / ((columns.end - columns.begin) * (rows.end - rows.begin));
}

}  // namespace

std::optional<StripPlace> find_strip(const Pixels& screen) {
  std::vector<Row> rows;
  for (int y = 0; y < screen.height; ++y) {
    if (const auto row = row_between_bars(screen, y)) {
      rows.push_back(*row);
    } else if (!rows.empty() && y - rows.back().y > kMostHoles) {
      if (const auto place = place_of(rows)) return place;
      rows.clear();
    }
  }
  return place_of(rows);
}

std::optional<int> read_strip(const Pixels& pixels, const StripPlace& place) {
  if (pixels.width <= 0 || pixels.height <= 0) return std::nullopt;
  const double across = static_cast<double>(place.width) / kClockWidth;
  const double down = static_cast<double>(place.height) / kStripHeight;
  // Of each half of the strip, 20 rows, those from 6 to 14: away from what the codec blurs.
  const auto rows_of = [&](int half) {
    return Range(place.y + down * (20 * half + 6), place.y + down * (20 * half + 14));
  };
  const Range upper = rows_of(0);
  const Range lower = rows_of(1);
  std::uint32_t cells = 0;
  for (int cell = 0; cell < kCells; ++cell) {
    const double left = kBarWidth + kCellWidth * (cell + 0.25);
    const Range columns(place.x + across * left, place.x + across * (left + kCellWidth / 2.0));
    const int bit = mean_luma(pixels, columns, upper);
    const int complement = mean_luma(pixels, columns, lower);
    if (std::abs(bit - complement) < kLeastContrast) return std::nullopt;
    cells = cells << 1 | (bit > complement ? 1u : 0u);
  }
  return number_of_cells(cells);
}

}  // namespace qvid::lab
