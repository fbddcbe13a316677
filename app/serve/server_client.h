// One client of the server, from its session's beginning to its end.
//
// Ownership: the server holds it until SessionClosed, its session's handler too. Thread: the
// io_context's.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/serve/server.h"
#include "pubsub/broker/measurement.h"
#include "pubsub/server/weak_port.h"
#include "transport/socket/timer.h"

namespace qvid::app {

class Server::Client : public std::enable_shared_from_this<Client> {
 public:
  Client(Server& server, std::shared_ptr<paceline::Session> session);

  // False: its address has too many already.
  bool take_place();
  // `full`: why there is no place for it; empty: there is.
  paceline::Session::Handler start(std::string full);
  void close(const std::string& reason);
  bool interrupted() const { return session_->signals().interrupted; }

 private:
  void on_event(paceline::SessionEvent&& event);
  void on_message(const paceline::MessageArrived& message);
  void refuse(const std::string& reason);
  void tell(const ServerMessage& message);
  void on_list(const ListRequest& request);
  void wait_for_request();
  void on_play(const PlayRequest& request);
  void on_measure(const qps::Measure& request);
  // True: it has been told why it may not.
  bool is_refused(const std::string& name, const std::string& token);

  Server& server_;
  std::shared_ptr<paceline::Session> session_;
  paceline::Timer request_timer_;
  qps::WeakPort port_;
  qps::Measurement measurement_;
  std::unique_ptr<Viewer> viewer_;
  std::string full_;
  std::optional<std::string> counted_;  // the address it counts for
  int refusals_ = 0;
  bool listing_ = false;  // an answer is awaited
};

}  // namespace qvid::app
