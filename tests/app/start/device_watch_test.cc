// Devices that are looked at while somebody wants to know, on SDL's dummy sound.
#include "app/start/device_watch.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/app/start/woken.h"

namespace qvid::app {
namespace {

TEST(DeviceWatch, TellsWhatIsThereOnceItIsAsked) {
  setenv("SDL_AUDIODRIVER", "dummy", 1);
  SoundDevices devices([](const media::SoundStatus&) {});
  Woken woken;
  {
    DeviceWatch watch(devices, woken.wake());
    EXPECT_FALSE(watch.take()) << "nobody has asked";
    watch.follow(true);
    std::optional<DeviceView> seen;
    EXPECT_TRUE(woken.until([&] { return (seen = watch.take()).has_value(); }));
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->loudspeakers, devices.sound().devices().loudspeakers);
    EXPECT_EQ(seen->cameras, plugged_cameras());
    EXPECT_FALSE(watch.take()) << "nothing is other than before";
  }  // it ends while it is looked at, too
  unsetenv("SDL_AUDIODRIVER");
}

}  // namespace
}  // namespace qvid::app
