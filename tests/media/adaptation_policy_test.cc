// Shows that importance is the table of the policy: motion before detail.
#include "media/adaptation_policy.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

TEST(AdaptationPolicy, IsTheTable) {
  for (std::uint8_t layer = 0; layer < kMaxUnits; ++layer) {
    const int top = 240 - 24 * layer;
    EXPECT_EQ(unit_importance(layer, 255), top);
    EXPECT_EQ(unit_importance(layer, 2), top);
    EXPECT_EQ(unit_importance(layer, 1), top - 4);
    EXPECT_EQ(unit_importance(layer, 0), top - 8);
  }
}

TEST(AdaptationPolicy, ControlAndHeadersGoFirst) {
  EXPECT_GT(kControlImportance, kHeaderImportance);
  EXPECT_GT(kHeaderImportance, unit_importance(0, 1000));
}

TEST(AdaptationPolicy, EveryBaseUnitGoesBeforeAnyEnhancement) {
  for (std::uint8_t layer = 0; layer + 1 < static_cast<int>(kMaxUnits); ++layer) {
    EXPECT_GT(unit_importance(layer, 0),
              unit_importance(static_cast<std::uint8_t>(layer + 1), 1000));
  }
}

TEST(AdaptationPolicy, ALayerTooManyCountsAsTheLast) {
  EXPECT_EQ(unit_importance(255, 0), unit_importance(7, 0));
}

}  // namespace
}  // namespace qvid::media
