// Where the lines of a text end.
#include "ui/text/wrapped_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace qvid::ui {
namespace {

using Lines = std::vector<std::string>;

// As wide as it has bytes.
Lines wrapped(const std::string& text, float width) {
  Lines lines;
  for (const TextLine& line :
       wrap(text, width, [](std::string_view t) { return static_cast<float>(t.size()); })) {
    lines.push_back(text.substr(line.begin, line.end - line.begin));
  }
  return lines;
}

TEST(WrappedText, BreaksAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 20), Lines{"one two three"});
  EXPECT_EQ(wrapped("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three", 5), (Lines{"one", "two", "three"}));
  EXPECT_EQ(wrapped("", 5), Lines{});
  const std::string word(99, 'x');
  EXPECT_EQ(wrapped(word + " y " + word + word, 101),
            (Lines{word + " y", word + "xx", word.substr(2)}))
      << "long lines";
}

TEST(WrappedText, AWordThatIsTooLongIsBroken) {
  EXPECT_EQ(wrapped("abcdefgh ij", 3), (Lines{"abc", "def", "gh", "ij"}));
  EXPECT_EQ(wrapped("ab", 0), (Lines{"a", "b"})) << "one character at least";
  EXPECT_EQ(wrapped("\u00e9\u00e9", 3), (Lines{"\u00e9", "\u00e9"})) << "none is cut";
  EXPECT_EQ(wrapped("ae\u0301b", 3), (Lines{"a", "e\u0301", "b"})) << "a mark stays";
}

}  // namespace
}  // namespace qvid::ui
