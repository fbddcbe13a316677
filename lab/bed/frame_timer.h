// Calls `frame` 30 times a second, on a grid, until it is stopped or destroyed. A loop that was
// late catches up, so the rate holds.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "lab/bed/layered_video.h"
#include "lab/bed/run_clock.h"

namespace qvid::lab {

class FrameTimer {
 public:
  FrameTimer(boost::asio::io_context& io, std::function<void(Timestamp)> frame)
      : timer_(io), frame_(std::move(frame)) {}

  void start(Timestamp first) {
    running_ = true;
    next_ = first;
    wait();
  }
  void stop() {
    running_ = false;
    timer_.cancel();
  }

 private:
  void wait() {
    timer_.expires_at(next_);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (error || !running_) return;
      // The moment that it was due: the receiver's delay then contains our own lateness.
      const Timestamp due = next_;
      next_ += kFrameTime;
      wait();
      frame_(due);
    });
  }

  boost::asio::steady_timer timer_;
  std::function<void(Timestamp)> frame_;
  Timestamp next_{};
  bool running_ = false;
};

}  // namespace qvid::lab
