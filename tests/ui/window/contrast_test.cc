// Every text of the windows against what it lies on: WCAG 2.1, 1.4.3, by the luminance that it
// defines.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "ui/window/text_pairs.h"

namespace qvid::ui {
namespace {

using Color = std::array<double, 3>;  // 0..1, as sRGB

double part_of(ImU32 color, int shift) { return (color >> shift & 0xff) / 255.0; }

Color over(ImU32 color, const Color& under) {
  const double opacity = part_of(color, IM_COL32_A_SHIFT);
  Color seen{};
  const std::array shifts{IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT};
  for (std::size_t i = 0; i < 3; ++i) {
    seen[i] = opacity * part_of(color, shifts[i]) + (1 - opacity) * under[i];
  }
  return seen;
}

double luminance(const Color& color) {
  const auto linear = [](double part) {
    return part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2]);
}

double contrast(const Color& a, const Color& b) {
  const auto [least, most] = std::minmax({luminance(a), luminance(b)});
  return (most + 0.05) / (least + 0.05);
}

TEST(Contrast, IsThatOfTheStandard) {
  EXPECT_NEAR(contrast({0, 0, 0}, {1, 1, 1}), 21, 0.001);
  EXPECT_NEAR(contrast({1, 1, 1}, {119 / 255.0, 119 / 255.0, 119 / 255.0}), 4.48, 0.01);
}

// Where a ground lets something through, over the brightest and the darkest picture.
TEST(Contrast, EveryTextIsRead) {
  for (const TextPair& pair : kTextPairs) {
    for (const double under : {0.0, 1.0}) {
      const Color ground = over(pair.ground, {under, under, under});
      EXPECT_GE(contrast(over(pair.text, ground), ground), 4.5) << pair.where;
    }
  }
}

TEST(Contrast, EveryDiscIsLookedAt) {
  for (const ImU32 disc : kDiscs) {
    EXPECT_TRUE(
        std::ranges::any_of(kTextPairs, [&](const TextPair& pair) { return pair.ground == disc; }));
  }
}

}  // namespace
}  // namespace qvid::ui
