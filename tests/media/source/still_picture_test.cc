// One picture of a source, no larger than is asked for.
#include "media/source/still_picture.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

Result<VideoFrame> still(const char* source, PictureSize most) {
  const auto spec = parse_source_spec(source);
  return spec ? take_still(*spec, most, {}) : Result<VideoFrame>(spec.error());
}

TEST(StillPicture, IsMadeSmallerAtItsAspect) {
  const auto small = still("test", {192, 120});  // the scene is 640x480
  ASSERT_TRUE(small) << small.error().message;
  EXPECT_EQ(small->size, (PictureSize{160, 120}));
  EXPECT_NE(small->owner, nullptr);
}

TEST(StillPicture, IsNotMadeLarger) {
  const auto whole = still("test", {1920, 1200});
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->size, (PictureSize{640, 480}));
}

TEST(StillPicture, SaysWhyThereIsNone) {
  const auto none = still("/nowhere/film.mkv", {192, 120});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("film.mkv"), std::string::npos) << none.error().message;
}

}  // namespace
}  // namespace qvid::media
