#include "base/text.h"

#include <gtest/gtest.h>

namespace qvid {
namespace {

TEST(Text, IsPrintableWithoutControlCharacters) {
  EXPECT_EQ(printable("a\nb\x1b[2J\x7f"), "a?b?[2J?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m"),
            "\xc2?1m");
  EXPECT_EQ(printable("caf\xc3\xa9"), "caf\xc3\xa9");
}

TEST(Text, InQuotesIsShortAndPrintable) {
  EXPECT_EQ(in_quotes(""), "''");
  EXPECT_EQ(in_quotes("2 megabits"), "'2 megabits'");
  EXPECT_EQ(in_quotes("a\nb"), "'a?b'");
  EXPECT_EQ(in_quotes("abcdef", 6), "'abcdef'");
  EXPECT_EQ(in_quotes("abcdefg", 6), "'abcdef...'");
  EXPECT_EQ(in_quotes("ab\xc3\xa9"
                      "f",
                      3),
            "'ab...'")
      << "half a character";
  EXPECT_EQ(in_quotes("\x80\x80\x80", 2), "'...'") << "no UTF-8 at all";
}

}  // namespace
}  // namespace qvid
