// Links in a text that somebody wrote: what begins with http:// or https:// as a word of its own, up
// to a blank, without the punctuation of the sentence around it.
//
//   "see https://a.org/x?y=1, or ask"  ->  "see " "https://a.org/x?y=1" ", or ask"
//
// What is not written in ASCII is none, so that no link looks like another one. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace qvid::ui {

struct TextPart {
  std::size_t begin = 0;  // bytes
  std::size_t end = 0;
  bool link = false;

  bool operator==(const TextPart&) const = default;
};

// All of the text, in its order; none is empty.
std::vector<TextPart> split_links(std::string_view text);
// The whole of it is one.
bool is_link(std::string_view text);

}  // namespace qvid::ui
