// What sound devices tell: into the log, and of trouble to the window while there is one; what they
// tell before there is, it is told then.
//
// Bounded: kMostWaiting, the oldest goes. Thread: any.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "app/options/sound_options.h"
#include "base/text.h"
#include "media/sound/sound_device.h"

namespace qvid::app {

class SoundNotices {
 public:
  static constexpr std::size_t kMostWaiting = 4;
  using Sink = std::function<void(const std::string&)>;

  void tell(const media::SoundStatus& status) {
    log_sound_status(status);
    if (status.ok) return;
    const std::lock_guard lock(mutex_);
    if (sink_) return sink_(printable(status.text));
    if (waiting_.size() == kMostWaiting) waiting_.erase(waiting_.begin());
    waiting_.push_back(printable(status.text));
  }
  // It must not call this. Empty: there is no window any more.
  void set_sink(Sink sink) {
    const std::lock_guard lock(mutex_);
    sink_ = std::move(sink);
    if (!sink_) return;
    for (const std::string& text : std::exchange(waiting_, {})) sink_(text);
  }

 private:
  std::mutex mutex_;
  Sink sink_;
  std::vector<std::string> waiting_;
};

}  // namespace qvid::app
