// Where a preview is in the window.
#include "ui/player/preview_view.h"

#include <gtest/gtest.h>

namespace qvid::ui {
namespace {

TEST(PlacePreview, IsOverTheMouseAndWithinTheWindow) {
  const media::PictureSize wide{160, 90};
  const media::PictureSize window{640, 360};
  EXPECT_EQ(place_preview(wide, 320, window, 34), (Rectangle{240, 228, 160, 90}));
  EXPECT_EQ(place_preview(wide, 78, window, 34).x, 8) << "at the left edge";
  const Rectangle last = place_preview(wide, 562, window, 34);
  EXPECT_EQ(last.x + last.width, 632);
  EXPECT_EQ(place_preview({90, 160}, 320, window, 34).height, 120) << "no higher than that";
}

TEST(PlacePreview, NoneWhereThereIsNoRoom) {
  EXPECT_TRUE(place_preview({160, 90}, 60, {120, 360}, 34).empty());
  EXPECT_TRUE(place_preview({160, 90}, 160, {320, 120}, 34).empty());
  EXPECT_TRUE(place_preview({0, 0}, 160, {320, 240}, 34).empty());
}

}  // namespace
}  // namespace qvid::ui
