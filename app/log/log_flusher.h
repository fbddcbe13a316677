// Writes an output log (output_log.h) to the disk every kTurn, as long as this lives or until it is
// stopped; without a log it does nothing.
//
// Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <utility>

#include "app/log/output_log.h"
#include "transport/socket/timer.h"

namespace qvid::app {

class LogFlusher {
 public:
  static constexpr Duration kTurn = std::chrono::milliseconds(200);

  LogFlusher(boost::asio::io_context& io, std::shared_ptr<OutputLog> log)
      : log_(std::move(log)), timer_(io) {
    if (log_) wait();
  }
  void stop() { timer_.cancel(); }

 private:
  void wait() {
    timer_.after(kTurn, [this] {
      log_->flush();
      wait();
    });
  }

  const std::shared_ptr<OutputLog> log_;
  paceline::Timer timer_;
};

}  // namespace qvid::app
