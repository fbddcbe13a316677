// What is plugged in, looked at once a second while somebody wants to know: listing takes its time, so a
// thread of its own does it.
//
// Queue: the latest view. Thread: any, but for the destructor, which waits for a look (at most a few
// seconds, the first; ui/sound/sdl_sound.h).
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "app/options/sound_devices.h"
#include "app/start/device_lists.h"

namespace qvid::app {

class DeviceWatch {
 public:
  // `devices` outlives this. `wake`: there is something to take; any thread.
  DeviceWatch(SoundDevices& devices, std::function<void()> wake);

  // Whether it is looked at all, and at once when it begins.
  void follow(bool on);
  // Where something is other than when it was taken last; without troubles.
  std::optional<DeviceView> take();

 private:
  void watch(const std::stop_token& stop);

  SoundDevices& devices_;
  const std::function<void()> wake_;
  std::mutex mutex_;  // guards the next three
  std::condition_variable_any changed_;
  bool on_ = false;
  std::optional<DeviceView> news_;
  std::optional<DeviceView> seen_;  // the thread's
  std::jthread thread_;             // last: it ends first
};

}  // namespace qvid::app
