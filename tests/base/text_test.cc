#include "base/text.h"

#include <gtest/gtest.h>

namespace qvid {
namespace {

TEST(Text, WhatIsPrintedNeitherMovesNorHides) {
  EXPECT_EQ(printable("plain \u00e9\u4e2d\U0001f44d"), "plain \u00e9\u4e2d\U0001f44d");
  EXPECT_EQ(printable("a\x1b[31m\n\r\tb\x7f"), "a?[31m???b?");
  EXPECT_EQ(printable("\u009b31m"), "?31m");  // C1 of Unicode
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "?31m");  // and of eight bits
  EXPECT_EQ(printable("\u202eexe.\u2066x\u200f"), "?exe.?x?");
  EXPECT_EQ(printable("Stra\xdf"
                      "e"),
            "Stra\xdf"
            "e");  // another encoding
}

TEST(Text, CharactersAreTakenOneByOne) {
  std::string_view text = "a\u00e9\u4e2d\U0001f44d";
  for (const char32_t c : {U'a', U'\u00e9', U'\u4e2d', U'\U0001f44d'}) {
    EXPECT_EQ(take_character(text), c);
  }
  EXPECT_TRUE(text.empty());
  // Too short, too long, a surrogate, beyond the last, a byte of the middle.
  for (const std::string_view bad :
       {"\xe4\xb8", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xff"}) {
    std::string_view rest = bad;
    EXPECT_EQ(take_character(rest), kNoCharacter);
    EXPECT_EQ(rest.size(), bad.size() - 1);
  }
}

TEST(Text, ALineIsClean) {
  EXPECT_EQ(clean_line("plain \u00e9\u4e2d\U0001f44d"), "plain \u00e9\u4e2d\U0001f44d");
  EXPECT_EQ(clean_line("\r\n a\nb\tc\x1b[31m \x7f"), "a b c [31m");
  EXPECT_EQ(clean_line("\u202eexe.\u2066x\u200b\ufeff"), "exe.x");
  EXPECT_EQ(clean_line("no\xffne\xe4\xb8"), "none");
  EXPECT_EQ(clean_line("\U0001f469\u200d\U0001f467"), "\U0001f469\u200d\U0001f467")
      << "a joiner is needed";
  EXPECT_EQ(clean_line(" \u200e "), "");
  EXPECT_EQ(clean_line(""), "");
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
