// Asks a server something over a session of its own until it has the answer: `qvid list`, `qvid
// admin`. What it is asked, and when the answer is whole, its heirs say.
//
// Thread: the io_context's, in run().
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "app/options/exit_codes.h"
#include "app/options/transport_options.h"
#include "transport/session/session.h"

namespace qvid::app {

class Questioner {
 public:
  virtual ~Questioner() = default;
  Questioner(const Questioner&) = delete;
  Questioner& operator=(const Questioner&) = delete;

  // Until the answer is there, the server is lost or refuses (which is logged), or a signal comes.
  ExitCode run();

 protected:
  // Such a session is neither resumed nor has it standbys.
  explicit Questioner(Destination to);

  // The session is there.
  virtual void ask() = 0;
  // Not after the end.
  virtual void on_message(std::string_view text) = 0;

  paceline::Session& session() { return *session_; }
  // The answer is whole.
  void finish(const std::string& why);
  void fail(ExitCode code, const std::string& why);

 private:
  void on_event(paceline::SessionEvent&& event);
  void tell(const std::string& why) const;  // in the log, with where it was
  void end(ExitCode code, const std::string& why);

  boost::asio::io_context io_{1};
  Destination to_;
  std::shared_ptr<paceline::Session> session_;
  ExitCode code_ = kExitUnreachable;
  bool done_ = false;    // code_ says how
  bool running_ = true;  // until the session is closed
};

}  // namespace qvid::app
