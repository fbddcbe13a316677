// Glyphs that are painted, of the fonts that are installed, and how they come into ImGui's atlas.
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string_view>

#include "base/text.h"
#include "ui/text/fonts.h"
#include "ui/text/shown_text.h"

namespace qvid::ui {
namespace {

constexpr char32_t kFace = 0x1F600;

TEST(GlyphPainter, PaintsAFaceAtItsSize) {
  FontFiles files;
  const FontData* font = files.painted_font(kFace);
  ASSERT_NE(font, nullptr) << "the program's own has it";
  GlyphPainter painter;
  for (const float em : {14.0f, 28.0f, 56.0f}) {
    const auto glyph = painter.paint(*font, kFace, em);
    ASSERT_TRUE(glyph);
    EXPECT_GT(static_cast<float>(glyph->height), em / 2);
    EXPECT_LT(static_cast<float>(glyph->height), em * 1.5f);
    EXPECT_GT(glyph->advance, em / 2);
    EXPECT_EQ(glyph->rgba.size(), static_cast<std::size_t>(glyph->width * glyph->height));
    EXPECT_TRUE(std::ranges::any_of(glyph->rgba, [](std::uint32_t p) { return p != 0; }));
  }
  EXPECT_FALSE(painter.paint(*font, kFace, 5000)) << "bounded";
  EXPECT_FALSE(painter.paint(*font, 0xFDD0, 14)) << "no character";
}

TEST(GlyphPainter, TakesNoFileThatIsNoFont) {
  GlyphPainter painter;
  constexpr std::array<unsigned char, 4> kNone{1, 2, 3, 4};
  const FontData none{.bytes = kNone};
  EXPECT_FALSE(painter.paint(none, kFace, 14));
}

class EmojiFontsTest : public testing::Test {
 protected:
  void SetUp() override {
    ImGui::SetCurrentContext(context_.get());
    ImGui::GetIO().UserData = &fonts_;
  }
  struct Deleter {
    void operator()(ImGuiContext* context) const { ImGui::DestroyContext(context); }
  };
  // Null: there is none in the atlas.
  static const ImFontGlyph* glyph(char32_t code) {
    return ImGui::GetIO().Fonts->Fonts[0]->FindGlyphNoFallback(static_cast<ImWchar>(code));
  }

  std::unique_ptr<ImGuiContext, Deleter> context_{ImGui::CreateContext()};
  Fonts fonts_;
};

TEST_F(EmojiFontsTest, WhatIsDrawnIsPaintedIntoTheAtlas) {
  fonts_.build(1);
  fonts_.begin();
  const std::string drawn = drawn_text("hi \U0001F600");
  std::string_view rest = std::string_view(drawn).substr(3);
  const char32_t code = take_character(rest);
  EXPECT_TRUE(is_private(code)) << drawn;
  EXPECT_TRUE(fonts_.lacking());
  EXPECT_EQ(glyph(code), nullptr);
  fonts_.build(1);
  EXPECT_FALSE(fonts_.lacking());
  const ImFontGlyph* face = glyph(code);
  ASSERT_NE(face, nullptr);
  EXPECT_GT(face->AdvanceX, 7);
  EXPECT_GT(face->Y1 - face->Y0, 7);
  const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  const auto at = [](float part, int whole) {
    return static_cast<int>(part * static_cast<float>(whole));
  };
  int seen = 0;
  for (int y = at(face->V0, atlas.TexHeight); y < at(face->V1, atlas.TexHeight); ++y) {
    for (int x = at(face->U0, atlas.TexWidth); x < at(face->U1, atlas.TexWidth); ++x) {
      seen += (atlas.TexPixelsRGBA32[y * atlas.TexWidth + x] >> IM_COL32_A_SHIFT) > 100 ? 1 : 0;
    }
  }
  EXPECT_GT(seen, 30) << "pixels of it";
}

// From afar: ten thousand different ones, and chains of joiners.
TEST_F(EmojiFontsTest, HostileTextIsBounded) {
  std::string many;
  for (char32_t c = 0x1F000; c < 0x1F000 + 10'000; ++c) append_character(many, c);
  std::string chain = "\U0001F469";
  for (int i = 0; i < 10'000; ++i) chain += "\u200D\U0001F469";
  const auto begin = std::chrono::steady_clock::now();
  std::string first;
  for (int frame = 0; frame < 3; ++frame) {
    fonts_.build(2);
    fonts_.begin();
    const std::string drawn = drawn_text(many);
    if (frame > 0) {
      EXPECT_EQ(drawn, first);
      EXPECT_FALSE(fonts_.lacking()) << "it is not built again and again";
    }
    first = drawn;
    measured_text(many);
    EXPECT_EQ(drawn_text(chain).size(), 3u) << "one sign";
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  EXPECT_LE(atlas.TexWidth * atlas.TexHeight, 4096 * 4096);
}

TEST_F(EmojiFontsTest, WhatIsMeasuredTakesNoPlace) {
  fonts_.build(1);
  const auto width = [] {
    return ImGui::GetIO()
        .Fonts->Fonts[0]
        ->CalcTextSizeA(14, 1000, 0, measured_text("\U0001F600").c_str())
        .x;
  };
  const float about = width();
  EXPECT_FALSE(fonts_.lacking());
  const std::uint64_t built = fonts_built();
  drawn_text("\U0001F600");
  fonts_.build(1);
  EXPECT_NE(fonts_built(), built);
  EXPECT_NEAR(about, width(), 5) << "before it was drawn";
}

TEST_F(EmojiFontsTest, NobodyWritesAnothersEmoji) {
  fonts_.build(1);
  const std::string drawn = drawn_text("\U0001F600");
  EXPECT_EQ(drawn_text(drawn), "\uFFFD");
}

TEST_F(EmojiFontsTest, AFieldGivesBackWhatWasTyped) {
  fonts_.build(1);
  const std::string field = field_text("Ann \U0001F600");
  EXPECT_TRUE(fonts_.lacking()) << "it is drawn, too";
  EXPECT_EQ(text_of_field(field, 100), "Ann \U0001F600");
  EXPECT_EQ(text_of_field(field, 7), "Ann ") << "no half character";
}

}  // namespace
}  // namespace qvid::ui
