// Turns SIGINT, SIGTERM and SIGHUP into a stop request, and gives a tick each second meanwhile.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "lab/emulator/unique_fd.h"

namespace qvid::lab {

class StopOnSignal {
 public:
  // Before any thread starts: threads inherit that signals are blocked. They stay so. `tick` is
  // called on a thread of its own. Throws std::system_error.
  explicit StopOnSignal(std::function<void()> tick);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  void watch(const std::stop_token& end);

  std::function<void()> tick_;
  UniqueFd signals_;
  UniqueFd wake_;
  std::stop_source source_;
  std::jthread thread_;
};

}  // namespace qvid::lab
