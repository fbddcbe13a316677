// The presentation clock of each member that is seen or heard: its pictures and its sound, which
// come by ways of their own, find each other by its name.
//
// A clock lives as long as somebody plays by it. Thread: any.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "media/sound/presentation_clock.h"

namespace qvid::app {

class PresentationClocks {
 public:
  std::shared_ptr<media::PresentationClock> of(const std::string& name) {
    const std::lock_guard lock(mutex_);
    std::erase_if(clocks_, [](const auto& entry) { return entry.second.expired(); });
    auto clock = clocks_[name].lock();
    if (!clock) clocks_[name] = clock = std::make_shared<media::PresentationClock>();
    return clock;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<media::PresentationClock>> clocks_;
};

}  // namespace qvid::app
