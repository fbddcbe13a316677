#include "media/source/device_library.h"

#include <gtest/gtest.h>

extern "C" {
#include <libavformat/avformat.h>
}

namespace qvid::media {
namespace {

TEST(DeviceLibrary, BringsCameraAndScreen) {
  for (int i = 0; i < 2; ++i) {  // the second time nothing is left to do
    const auto error = load_device_library();
    ASSERT_FALSE(error) << error->message;
  }
  EXPECT_NE(av_find_input_format("v4l2"), nullptr);
  EXPECT_NE(av_find_input_format("x11grab"), nullptr);
}

}  // namespace
}  // namespace qvid::media
