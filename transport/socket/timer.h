// A timer of one of the program's objects: what it calls is never called once the timer is gone or
// set anew, even where that expiry was on the queue already, which Asio can no longer cancel.
//
// Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <utility>

#include "base/units.h"

namespace paceline {

class Timer {
 public:
  explicit Timer(boost::asio::io_context& io) : timer_(io) {}

  // `f` is called then; what was set before is forgotten.
  template <class F>
  void at(qvid::Timestamp when, F f) {
    timer_.expires_at(when);
    wait(std::move(f));
  }
  template <class F>
  void after(qvid::Duration wait_for, F f) {
    timer_.expires_after(wait_for);
    wait(std::move(f));
  }
  void cancel() {
    pending_.reset();
    timer_.cancel();
  }

 private:
  template <class F>
  void wait(F f) {
    pending_ = std::make_shared<int>();
    timer_.async_wait(
        [weak = std::weak_ptr(pending_), f = std::move(f)](const boost::system::error_code& error) {
          if (!error && !weak.expired()) f();
        });
  }

  boost::asio::steady_timer timer_;
  std::shared_ptr<int> pending_;  // of the wait that counts
};

}  // namespace paceline
