// An event loop that a test turns by hand: no wait is longer than a minute (a machine may be
// busy), and there are no sleeps.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>

namespace paceline {

struct EventLoop {
  // Runs the loop until `done`, a minute at the most.
  template <class F>
  bool run_until(F done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done() && std::chrono::steady_clock::now() < end) {
      io.restart();
      io.run_one_for(std::chrono::milliseconds(20));
    }
    return done();
  }
  // All that can happen without anybody's doing.
  void drain() {
    io.restart();
    while (io.poll() > 0) io.restart();
  }

  boost::asio::io_context io{1};
};

}  // namespace paceline
