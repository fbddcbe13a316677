// A wait on the steady clock that a stop request ends at once.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "base/units.h"

namespace qvid::media {

// True when `due` has come; false where `stop` was requested first.
inline bool wait_until(Timestamp due, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never_notified;
  std::unique_lock lock(mutex);
  never_notified.wait_until(lock, stop, due, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace qvid::media
