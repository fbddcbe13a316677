#include "app/start/device_watch.h"

#include <utility>

namespace qvid::app {

DeviceWatch::DeviceWatch(SoundDevices& devices, std::function<void()> wake)
    : devices_(devices),
      wake_(std::move(wake)),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void DeviceWatch::follow(bool on) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(on_, on) == on) return;
  changed_.notify_all();
}

std::optional<DeviceView> DeviceWatch::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

void DeviceWatch::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return on_; }) && !stop.stop_requested()) {
    lock.unlock();
    DeviceView view;
    note_plugged(view, plugged_cameras(), devices_.sound().devices());
    lock.lock();
    if (seen_ != view) {
      seen_ = news_ = std::move(view);
      wake_();
    }
    changed_.wait_for(lock, stop, kLookEvery, [this] { return !on_; });
  }
}

}  // namespace qvid::app
