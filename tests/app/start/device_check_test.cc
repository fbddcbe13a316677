// Devices tried before a call, on SDL's dummy sound and the test scene: a picture comes, another
// choice takes its place, the tone is heard and ends.
#include "app/start/device_check.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>

namespace qvid::app {
namespace {

// Waits until something is so, looked at whenever the check says that there is something to be seen.
class Woken {
 public:
  std::function<void()> wake() {
    return [this] {
      const std::lock_guard lock(mutex_);
      woken_ = true;
      changed_.notify_all();
    };
  }
  bool until(const std::function<bool()>& is_so) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(40);
    while (!is_so()) {
      std::unique_lock lock(mutex_);
      if (!changed_.wait_until(lock, end, [this] { return woken_; })) return false;
      woken_ = false;
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

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
