#include "ui/text/wrapped_text.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "ui/text/shown_text.h"

namespace qvid::ui {
namespace {

constexpr std::ptrdiff_t kShortLine = 32;  // characters

// After each character and its marks.
std::vector<std::size_t> ends_of(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::string_view rest = text; !rest.empty();) {
    const bool mark = is_mark(take_character(rest));
    if (mark && !ends.empty()) ends.pop_back();
    ends.push_back(text.size() - rest.size());
  }
  return ends;
}

}  // namespace

std::vector<TextLine> wrap(std::string_view text, float width,
                           const std::function<float(std::string_view)>& width_of) {
  std::vector<TextLine> lines;
  const std::vector<std::size_t> ends = ends_of(text);
  auto next = ends.begin();
  std::size_t begin = 0;
  while (begin < text.size()) {
    // The first end that is too far to the right, by halves of what is not much longer than a line: a
    // text grows wider with each character.
    const auto fits = [&](std::size_t end) {
      return width_of(text.substr(begin, end - begin)) <= width;
    };
    std::ptrdiff_t most = kShortLine;
    while (most < ends.end() - next && fits(next[most - 1])) most *= 2;
    const auto too_wide =
        std::partition_point(next, next + std::min(most, ends.end() - next), fits);
    std::size_t end = too_wide == next ? *next : *(too_wide - 1);
    if (end < text.size() && text[end] != ' ') {
      const std::size_t blank = text.rfind(' ', end - 1);
      if (blank != std::string_view::npos && blank > begin) end = blank;
    }
    lines.push_back({begin, end});
    begin = end < text.size() && text[end] == ' ' ? end + 1 : end;
    next = std::upper_bound(next, ends.end(), begin);
  }
  return lines;
}

}  // namespace qvid::ui
