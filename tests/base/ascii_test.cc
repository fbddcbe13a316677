// Letters and hexadecimal digits of ASCII.
#include "base/ascii.h"

#include <gtest/gtest.h>

#include <array>

namespace qvid {
namespace {

TEST(Ascii, OnlyItsLettersHaveACase) {
  EXPECT_EQ(lower_case("AZaz09@[`{ \xc3\x89"), "azaz09@[`{ \xc3\x89");
  EXPECT_TRUE(is_same_word("Proxy-STATUS", "proxy-status"));
  EXPECT_FALSE(is_same_word("proxy", "proxy-"));
  EXPECT_FALSE(is_same_word("@", "`"));
}

TEST(Ascii, BlanksAroundATextGo) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
}

TEST(Ascii, BytesAreTwoDigitsEach) {
  EXPECT_EQ(hexadecimal(std::array<unsigned char, 4>{0x00, 0x0f, 0xa0, 0xff}), "000fa0ff");
  EXPECT_EQ(hexadecimal({}), "");
}

}  // namespace
}  // namespace qvid
