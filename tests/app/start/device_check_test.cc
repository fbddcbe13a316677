// Devices tried before a call, on SDL's dummy sound and the test scene: a picture comes, another
// choice takes its place, the tone is heard and ends.
#include "app/start/device_check.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/app/start/woken.h"

namespace qvid::app {
namespace {

TEST(DeviceCheck, ShowsTheCameraAndPlaysTheTone) {
  setenv("SDL_AUDIODRIVER", "dummy", 1);
  Woken woken;
  DeviceCheck check({.camera = "test", .microphone = "none", .loudspeaker = "default"},
                    woken.wake());
  std::optional<media::VideoFrame> picture;
  EXPECT_TRUE(woken.until([&] { return (picture = check.take_picture()).has_value(); }));
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->size.width, 640);
  EXPECT_EQ(check.view().camera_trouble, "");

  check.set_wish({.camera = "camera:/dev/video63", .microphone = "none", .loudspeaker = "default"});
  EXPECT_TRUE(woken.until([&] { return !check.view().camera_trouble.empty(); }));
  check.set_wish({.camera = {}, .microphone = "none", .loudspeaker = "default"});
  EXPECT_EQ(check.view().camera_trouble, "");

  check.play_tone();
  EXPECT_TRUE(woken.until([&] { return check.view().testing; }));
  EXPECT_TRUE(woken.until([&] { return !check.view().testing; }));
  unsetenv("SDL_AUDIODRIVER");
}

}  // namespace
}  // namespace qvid::app
