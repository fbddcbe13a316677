// In which order and which forms text is drawn.
#include "ui/text/shown_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text.h"

namespace qvid::ui {
namespace {

TEST(ShownText, WhatRunsToTheRightStays) {
  for (const char* text : {"", "Ann", "Łukasz", "陈伟", "Ζωή", "Юлия", "e\u0301", "नमस्ते"}) {
    EXPECT_EQ(shown_text(text), text);
  }
}

TEST(ShownText, HebrewIsTurnedAndTheLineIsNot) {
  EXPECT_EQ(shown_text("\u05D0\u05D1\u05D2"), "\u05D2\u05D1\u05D0");
  EXPECT_EQ(shown_text("\u05D0\u05D1\u05D2 joined 12"), "\u05D2\u05D1\u05D0 joined 12");
  EXPECT_EQ(shown_text("(\u05D0)"), "(\u05D0)") << "brackets are turned with what they hold";
}

TEST(ShownText, ArabicIsJoined) {
  // Ain, lam, yeh: the last, final form first; U+FEEF and below are what fonts have for the forms.
  EXPECT_EQ(shown_text("\u0639\u0644\u064A"), "\uFEF2\uFEE0\uFECB");
  // Lam and alef are one sign, and no filler stays.
  EXPECT_EQ(shown_text("\u0644\u0627"), "\uFEFB");
}

TEST(ShownText, AMarkStaysBehindItsLetter) {
  EXPECT_EQ(shown_text("\u05D0\u05B8\u05D1"), "\u05D1\u05D0\u05B8");
  EXPECT_TRUE(is_mark(0x301));
  EXPECT_TRUE(is_mark(0x5B8));
  EXPECT_FALSE(is_mark(U'e'));
}

TEST(ShownText, WhatIsNoTextIsSeenAndWhatIsUnseenGoes) {
  EXPECT_EQ(shown_text("a\nb\x7F\tc"), "a b  c");
  EXPECT_EQ(shown_text("\xC3"), "\uFFFD");
  EXPECT_EQ(shown_text("a\u202Eb\u200Bc\uFE0F"), "abc");
}

TEST(ShownText, OfJoinedEmojiTheFirstIsDrawn) {
  EXPECT_EQ(shown_text("\U0001F469\u200D\U0001F4BB!"), "\U0001F469!") << "a profession";
  EXPECT_EQ(shown_text("\U0001F468\u200D\U0001F469\u200D\U0001F467 x"), "\U0001F468 x")
      << "a family";
  EXPECT_EQ(shown_text("\U0001F44D\U0001F3FD\U0001F44D"), "\U0001F44D\U0001F44D") << "no skin";
  EXPECT_EQ(shown_text("\U0001F937\U0001F3FB\u200D\u2640\uFE0F."), "\U0001F937.");
  EXPECT_EQ(shown_text("\u2764\uFE0F\u200D\U0001F525"), "\u2764");
  EXPECT_EQ(shown_text("\U0001F600\U0001F601"), "\U0001F600\U0001F601") << "not joined";
  EXPECT_EQ(shown_text("\U0001F3FD"), "\U0001F3FD") << "of nothing";
  EXPECT_EQ(shown_text("\U0001F1E9\U0001F1EA"), "DE") << "a flag";
}

TEST(ShownText, NothingPrivateIsDrawn) { EXPECT_EQ(shown_text("a\uE000\uF8FF"), "a\uFFFD\uFFFD"); }

TEST(ShownText, IsBounded) {
  EXPECT_EQ(shown_text(std::string(3 * kMostShown, 'x')).size(), kMostShown);
  std::string hebrew;
  for (std::size_t i = 0; i < 3 * kMostShown; ++i) hebrew += "\u05D0";
  EXPECT_EQ(shown_text(hebrew).size(), 2 * kMostShown);
}

TEST(ShownText, ACharacterIsWrittenAsItIsRead) {
  for (const char32_t c : {U'a', U'\u007f', U'\u0080', U'\u07ff', U'\u0800', U'\uffff',
                           U'\U00010000', U'\U0010ffff'}) {
    std::string text;
    append_character(text, c);
    std::string_view rest = text;
    EXPECT_EQ(take_character(rest), c);
    EXPECT_TRUE(rest.empty());
  }
}

}  // namespace
}  // namespace qvid::ui
