#include "app/protocol/questioner.h"

#include <boost/asio/signal_set.hpp>
#include <utility>
#include <variant>

#include "app/log/log.h"

namespace qvid::app {

Questioner::Questioner(Destination to) : to_(std::move(to)) {
  to_.session.resume_limit = {};
  to_.session.standby = 0;
  session_ = paceline::Session::connect(
      io_, to_.remote(), to_.session,
      [this](paceline::SessionEvent&& event) { on_event(std::move(event)); });
}

ExitCode Questioner::run() {
  boost::asio::signal_set signals(io_, SIGINT, SIGTERM);
  signals.async_wait([this](const boost::system::error_code& error, int) {
    if (!error) session_->close("stopped");
  });
  // The signals alone keep nothing running.
  while (running_ && io_.run_one() > 0) {
  }
  return code_;
}

void Questioner::on_event(paceline::SessionEvent&& event) {
  if (std::holds_alternative<paceline::SessionEstablished>(event)) {
    if (const auto notice = to_.trust ? to_.trust->take_notice() : std::nullopt) {
      log_info("{}", *notice);
    }
    ask();
  } else if (const auto* message = std::get_if<paceline::MessageArrived>(&event)) {
    if (!done_) on_message(message->payload.text());
  } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
    running_ = false;
    if (done_) return;
    tell(closed->detail);
    code_ = closed->reason == paceline::CloseReason::kConnectionLost ||
                    closed->reason == paceline::CloseReason::kTimeout
                ? kExitUnreachable
                : kExitRefused;
  }
}

void Questioner::tell(const std::string& why) const {
  const std::string where = to_.url.address.text();
  const bool says_where = why.find(where) != std::string::npos;
  log_error("{}{}", says_where ? "" : where + ": ", why);
}

void Questioner::finish(const std::string& why) { end(kExitOk, why); }

void Questioner::fail(ExitCode code, const std::string& why) {
  tell(why);
  end(code, why);
}

void Questioner::end(ExitCode code, const std::string& why) {
  code_ = code;
  done_ = true;
  session_->close(why);
}

}  // namespace qvid::app
