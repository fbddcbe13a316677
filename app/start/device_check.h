// Devices tried before a call: the camera's picture, how loud the microphone is, a tone from the
// loudspeaker, and what is plugged in.
//
// Cameras by media::LiveIn, which encodes nothing here; sound by a thread of its own, for listing and
// opening take their time: it looks once a second, and at once when something else is wished for.
// What is not there is told, and tried again, by those. Nothing here outlives the page, so that the
// call finds the devices free.
//
// Queue: the latest picture. Thread: any, but for the destructor, which waits for a device (a
// second).
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/start/start_menu.h"
#include "media/live/live_in.h"
#include "media/picture/latest_frame.h"
#include "media/sound/sound_engine.h"
#include "ui/sound/sdl_sound.h"

namespace qvid::app {

class DeviceCheck {
 public:
  // `wake`: there is something to be seen; any thread.
  DeviceCheck(DeviceWish wish, std::function<void()> wake);
  ~DeviceCheck();
  DeviceCheck(const DeviceCheck&) = delete;
  DeviceCheck& operator=(const DeviceCheck&) = delete;

  void set_wish(const DeviceWish& wish);
  void play_tone();
  DeviceView view() const;
  std::optional<media::VideoFrame> take_picture() { return pictures_.take(); }

 private:
  struct Camera {
    std::unique_ptr<media::LiveIn> source;
    std::atomic<bool> ended = false;
  };
  void start_camera();
  void listen(const std::stop_token& stop);
  // Of the sound thread: what it is to do now; what was seen is noted.
  struct Task {
    std::optional<DeviceWish> wish;  // for others than before
    bool tone = false;
  };
  Task look(const ui::SoundDeviceNames& names);
  std::unique_ptr<media::SoundEngine> engine_of(const DeviceWish& wish, ui::SdlSound& sound);
  void on_sound_status(const media::SoundStatus& status);
  void on_camera_status(const Camera* camera, const media::SourceStatus& status);

  const std::function<void()> wake_;
  media::Latest<media::VideoFrame> pictures_;
  mutable std::mutex mutex_;  // guards the next five, and camera_
  std::condition_variable_any changed_;
  DeviceView view_;
  DeviceWish wish_;
  bool sound_changed_ = true;
  bool tone_wished_ = false;
  const Camera* camera_ = nullptr;                // the one that is seen
  std::vector<std::unique_ptr<Camera>> cameras_;  // those before it end by themselves
  std::jthread sound_;
};

}  // namespace qvid::app
