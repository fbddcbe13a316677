#include "app/command/program_run.h"

#include <csignal>

#include "app/log/log.h"

namespace qvid::app {

ProgramRun::ProgramRun(boost::asio::io_context& io, std::shared_ptr<OutputLog> output_log,
                       std::function<void()> stop, std::function<void()> wake)
    : io_(io),
      stop_(std::move(stop)),
      wake_(std::move(wake)),
      log_flusher_(io, std::move(output_log)),
      signals_(io, SIGINT, SIGTERM) {
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    signals_.clear();  // the next one has its usual effect
    interrupted_ = true;
    stop_();
  });
}

void ProgramRun::later(Duration wait, std::function<void()> f) {
  if (ended_) return;
  timers_.push_back(std::make_unique<paceline::Timer>(io_));
  timers_.back()->after(wait, std::move(f));
}

void ProgramRun::stop_after(double seconds) {
  if (seconds > 0) later(from_seconds(seconds), stop_);
}

void ProgramRun::ended(ExitCode code, const std::string& why) {
  signals_.cancel();
  for (const auto& timer : timers_) timer->cancel();
  log_flusher_.stop();
  log_at(code == kExitOk ? LogLevel::kInfo : LogLevel::kError, "ended: {}", why);
  code_ = code;
  ended_ = true;
  wake_();
}

ExitCode ProgramRun::headless() {
  io_.run();
  return code_;
}

}  // namespace qvid::app
