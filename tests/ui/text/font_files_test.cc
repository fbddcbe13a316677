// Against the fonts that are installed: those of the package fonts-dejavu-core at least.
#include "ui/text/font_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace qvid::ui {
namespace {

TEST(FontFiles, TheInterfaceHasAFont) {
  FontFiles files;
  const FontData* font = files.interface_font();
  if (font == nullptr) GTEST_SKIP() << "no fonts are installed";
  EXPECT_GT(font->bytes.size(), 1000u);
  EXPECT_GT(font->per_em, 0.9f);
  EXPECT_LT(font->per_em, 3);
  EXPECT_EQ(files.interface_font(), font) << "read once";
}

TEST(FontFiles, EachCharacterComesFromOneFont) {
  FontFiles files;
  if (files.interface_font() == nullptr) GTEST_SKIP() << "no fonts are installed";
  // The last is in no font: it is no character.
  const std::array<char32_t, 4> wanted{0x141, 0x42E, 0x3B6, 0xFDD0};
  std::size_t found = 0;
  for (const FontFiles::Cover& cover : files.cover(wanted)) {
    ASSERT_NE(cover.font, nullptr);
    found += cover.characters.size();
    EXPECT_EQ(std::ranges::count(cover.characters, char32_t{0xFDD0}), 0);
  }
  EXPECT_EQ(found, 3u);
}

}  // namespace
}  // namespace qvid::ui
