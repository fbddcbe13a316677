// What stands for characters beyond the first plane.
#include "ui/text/stand_ins.h"

#include <gtest/gtest.h>

#include "ui/text/shown_text.h"

namespace qvid::ui {
namespace {

std::string code(std::size_t number) {
  std::string text;
  append_character(text, StandIns::kFirstShown + static_cast<char32_t>(number));
  return text;
}
// So many different ones, from that on.
std::string emoji(std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    append_character(text, static_cast<char32_t>(0x10000 + first + i));
  }
  return text;
}

class StandInsTest : public testing::Test {
 protected:
  int asked_ = 0;
  StandIns all_{[this](char32_t c) {
    ++asked_;
    return c != 0x1F4A9;
  }};
};

TEST_F(StandInsTest, OneCharacterHasOne) {
  EXPECT_FALSE(all_.changed());
  EXPECT_EQ(all_.shown("a\U0001F600b\U0001F601\U0001F600"),
            "a" + code(0) + "b" + code(1) + code(0));
  EXPECT_TRUE(all_.changed());
  const auto loaded = all_.load();
  ASSERT_EQ(loaded.size(), 2u);
  EXPECT_EQ(loaded[1].code, StandIns::kFirstShown + 1);
  EXPECT_EQ(loaded[1].character, char32_t{0x1F601});
  EXPECT_FALSE(all_.changed());
  all_.begin();
  EXPECT_EQ(all_.shown("\U0001F601"), code(1)) << "the next time, too";
  EXPECT_FALSE(all_.changed());
}

TEST_F(StandInsTest, WhatNoFontHasHasNone) {
  EXPECT_EQ(all_.shown("\U0001F4A9"), "\uFFFD");
  EXPECT_FALSE(all_.changed());
  EXPECT_EQ(all_.shown("\xF0\x9F\x98"), "\xF0\x9F\x98") << "what is no character stays";
}

TEST_F(StandInsTest, WhatIsMeasuredTakesNone) {
  EXPECT_EQ(all_.measured("a\U0001F600\U0001F4A9\xF0"), "aW.\uFFFD\xF0");
  EXPECT_FALSE(all_.changed());
  all_.shown("\U0001F600");
  EXPECT_EQ(all_.measured("a\U0001F600"), "a" + code(0));
}

TEST_F(StandInsTest, ThoseOfLongAgoGo) {
  EXPECT_EQ(all_.shown(emoji(0, StandIns::kMostShown)).find("\uFFFD"), std::string::npos);
  all_.begin();
  all_.shown(emoji(1, StandIns::kMostShown - 1));
  all_.begin();
  EXPECT_EQ(all_.shown(emoji(1000, 1)), code(0)) << "the only one that was not drawn since";
  EXPECT_EQ(all_.load().size(), StandIns::kMostShown);
}

TEST_F(StandInsTest, ADrawingOfTooManyIsBoundedAndTheSameAgain) {
  const std::string many = emoji(0, 10'000);
  const std::string first = all_.shown(many);
  EXPECT_LT(asked_, 300) << "nobody is asked for what there is no room for";
  EXPECT_EQ(all_.load().size(), StandIns::kMostShown);
  all_.begin();
  EXPECT_EQ(all_.shown(many), first);
  EXPECT_FALSE(all_.changed()) << "it is not drawn again and again";
}

TEST_F(StandInsTest, WhatIsTypedComesBackAsItWas) {
  for (const char* text : {"", "hi \U0001F600 \U0001F4A9!", "\uE000 private", "\u05D0e\u0301",
                           "\u2C00\U0001F600\u2C01"}) {
    const std::string typed = all_.typed(text);
    EXPECT_EQ(all_.text_of(typed), text);
    EXPECT_EQ(typed.find("\U0001F600"), std::string::npos) << "ImGui has 16 bits";
  }
}

TEST_F(StandInsTest, ALetterWhoseCodeIsTakenIsItself) {
  EXPECT_EQ(all_.shown("\u2C00"), code(0));
  EXPECT_EQ(all_.load().front().character, char32_t{0x2C00});
}

TEST_F(StandInsTest, WhatIsTypedStaysWhateverIsDrawn) {
  const std::string typed = all_.typed("\U0001F600");
  for (std::size_t i = 0; i < 10; ++i) {
    all_.begin();
    all_.shown(emoji(i * 1000, 1000));
  }
  EXPECT_EQ(all_.text_of(typed), "\U0001F600");
  EXPECT_EQ(all_.text_of(all_.shown("\U0001F600")), all_.shown("\U0001F600"))
      << "what is drawn is not what is typed";
}

TEST_F(StandInsTest, WhatIsTypedIsBounded) {
  const std::string typed = all_.typed(emoji(0, 10'000));
  EXPECT_NE(typed.find("\uFFFD"), std::string::npos);
  EXPECT_EQ(all_.load().size(), StandIns::kMostTyped);
}

}  // namespace
}  // namespace qvid::ui
