// What a thread of the program wakes, in the place of a window.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace qvid::app {

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

}  // namespace qvid::app
