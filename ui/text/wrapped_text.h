// A text in lines of a width: broken at blanks, and within a word that is wider than a line. Pure but
// for what measures.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace qvid::ui {

struct TextLine {
  std::size_t begin = 0;  // bytes; the blank that a line ends with is in none
  std::size_t end = 0;

  bool operator==(const TextLine&) const = default;
};

// `width_of`: of a part of it. A line has one character at least, with its marks.
std::vector<TextLine> wrap(std::string_view text, float width,
                           const std::function<float(std::string_view)>& width_of);

}  // namespace qvid::ui
