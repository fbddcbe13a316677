// A program that runs until something ends it: Ctrl-C, its duration, or what it is about.
//
//   headless()           the io_context on this thread
//   in_window(turn)      on one of its own; this one draws, turn after turn
//
// Who has it says ended() once: what still keeps the io_context at work here is let go then, and
// the run is over when nothing else does. A second Ctrl-C ends the program at once, whatever a
// device or a name server does.
//
// Thread: main's; `later` and `ended` the io_context's; `wake` any.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/log/log_flusher.h"
#include "app/options/exit_codes.h"
#include "transport/socket/timer.h"

namespace qvid::app {

class ProgramRun {
 public:
  // `stop`: at the first Ctrl-C; ended() follows. `output_log`: written while it runs; may be null.
  // `wake`: of the window, if there is one; any thread.
  ProgramRun(
      boost::asio::io_context& io, std::shared_ptr<OutputLog> output_log,
      std::function<void()> stop, std::function<void()> wake = [] {});
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  // Nothing after ended().
  void later(Duration wait, std::function<void()> f);
  // After so many seconds `stop`; 0: never.
  void stop_after(double seconds);
  // The last word: it goes into the log, and the run returns `code`.
  void ended(ExitCode code, const std::string& why);

  // A signal has ended a run of this process: nobody wants another one.
  static bool interrupted() { return interrupted_; }

  ExitCode headless();
  // `turn`: waits at the window, and draws it.
  template <class Turn>
  ExitCode in_window(Turn turn) {
    std::jthread network([this] { io_.run(); });
    while (!ended_) turn();
    network.join();
    return code_;
  }
  void wake() const { wake_(); }

 private:
  boost::asio::io_context& io_;
  const std::function<void()> stop_;
  const std::function<void()> wake_;
  LogFlusher log_flusher_;
  boost::asio::signal_set signals_;
  std::vector<std::unique_ptr<paceline::Timer>> timers_;
  ExitCode code_ = kExitOk;  // set before ended_
  std::atomic<bool> ended_ = false;
  inline static std::atomic<bool> interrupted_ = false;  // signals are the process's
};

}  // namespace qvid::app
