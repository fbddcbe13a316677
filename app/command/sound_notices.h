// What sound devices tell: into the log, and to the window while there is one; of trouble, what they tell
// before there is, it is told then.
//
// Bounded: kMostWaiting, the oldest goes. Thread: any.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "app/options/sound_options.h"
#include "media/sound/sound_device.h"

namespace qvid::app {

class SoundNotices {
 public:
  static constexpr std::size_t kMostWaiting = 4;
  using Sink = std::function<void(const media::SoundStatus&)>;

  void tell(const media::SoundStatus& status) {
    log_sound_status(status);
    const std::lock_guard lock(mutex_);
    if (sink_) return sink_(status);
    if (status.ok) return;
    if (waiting_.size() == kMostWaiting) waiting_.erase(waiting_.begin());
    waiting_.push_back(status);
  }
  // It must not call this. Empty: there is no window any more.
  void set_sink(Sink sink) {
    const std::lock_guard lock(mutex_);
    sink_ = std::move(sink);
    if (!sink_) return;
    for (const media::SoundStatus& status : std::exchange(waiting_, {})) sink_(status);
  }

 private:
  std::mutex mutex_;
  Sink sink_;
  std::vector<media::SoundStatus> waiting_;
};

}  // namespace qvid::app
