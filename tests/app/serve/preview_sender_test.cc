// How large the previews of a video are. What is sent is shown by tests/e2e/window_test.cc.
#include "app/serve/preview_sender.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

TEST(PreviewSize, KeepsTheShapeAndIsOneThatIsCoded) {
  EXPECT_EQ(preview_size({1920, 1080}), (media::PictureSize{160, 90}));
  EXPECT_EQ(preview_size({1080, 1920}), (media::PictureSize{90, 160}));
  EXPECT_EQ(preview_size({640, 480}), (media::PictureSize{160, 120}));
  EXPECT_EQ(preview_size({4096, 16}), (media::PictureSize{160, 16}));
  EXPECT_EQ(preview_size({16, 4096}), (media::PictureSize{16, 160}));
  EXPECT_EQ(preview_size({16, 16}), (media::PictureSize{16, 16})) << "no larger than it is";
}

}  // namespace
}  // namespace qvid::app
