// Against the fonts that are installed, and where none is.
#include "ui/text/font_files.h"

#include <fontconfig/fontconfig.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "tests/temporary_folder.h"
#include "ui/text/own_font.h"

namespace qvid::ui {
namespace {

void expect_fit(const FontData& font) {
  EXPECT_GT(font.bytes.size(), 1000u);
  EXPECT_GT(font.per_em, 0.9f);
  EXPECT_LT(font.per_em, 3);
}

// The last is in no font: it is no character.
constexpr std::array<char32_t, 4> kFromThreeScripts{0x141, 0x42E, 0x3B6, 0xFDD0};

void expect_covered(FontFiles& files) {
  std::size_t found = 0;
  for (const FontFiles::Cover& cover : files.cover(kFromThreeScripts)) {
    ASSERT_NE(cover.font, nullptr);
    found += cover.characters.size();
    EXPECT_EQ(std::ranges::count(cover.characters, char32_t{0xFDD0}), 0);
  }
  EXPECT_EQ(found, 3u);
}

TEST(FontFiles, TheInterfaceHasAFont) {
  FontFiles files;
  expect_fit(files.interface_font());
  EXPECT_EQ(&files.interface_font(), &files.interface_font()) << "read once";
}

TEST(FontFiles, EachCharacterComesFromOneFont) {
  FontFiles files;
  expect_covered(files);
}

TEST(FontFiles, WithoutAnyTheProgramHasItsOwn) {
  const TemporaryFolder folder;
  const std::string empty = (folder.path() / "fonts.conf").string();
  std::ofstream(empty) << "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">"
                          "<fontconfig></fontconfig>";
  FcFini();
  setenv("FONTCONFIG_FILE", empty.c_str(), 1);
  {
    FontFiles files;
    EXPECT_EQ(files.interface_font().bytes.data(), own_font().data());
    expect_fit(files.interface_font());
    expect_covered(files);
    EXPECT_EQ(files.cover(kFromThreeScripts).size(), 1u);
  }
  FcFini();
  unsetenv("FONTCONFIG_FILE");
}

}  // namespace
}  // namespace qvid::ui
