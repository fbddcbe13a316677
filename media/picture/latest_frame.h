// The one-slot buffer between decoder and display: the newest value replaces what was not fetched.
// Thread: any.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

namespace qvid::media {

template <class T>
class Latest {
 public:
  // True where a value that nobody had fetched was replaced.
  bool put(T value) {
    const std::lock_guard lock(mutex_);
    const bool replaced = slot_.has_value();
    slot_ = std::move(value);
    return replaced;
  }
  std::optional<T> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(slot_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<T> slot_;
};

}  // namespace qvid::media
