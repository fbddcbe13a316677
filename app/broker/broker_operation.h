// A broker while it runs: what signals tell it, and the port on which it tells of itself.
//
//   SIGHUP   reads configuration and certificate again; broken ones are refused, nothing changes
//   SIGTERM  drains: clients are told to go elsewhere, /health says so; the end after config.drain
//   SIGINT, or a second SIGTERM: the end at once. A third signal: the operating system's way
//
// Ownership: the io_context and the server outlive it. Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/broker/broker_config.h"
#include "app/broker/broker_metrics.h"
#include "app/broker/event_hook.h"
#include "app/broker/status_server.h"
#include "pubsub/server/broker_server.h"
#include "transport/socket/timer.h"

namespace qvid::app {

class BrokerOperation {
 public:
  struct Hooks {
    // The configuration as it is now; empty: there is no file, and SIGHUP is left alone.
    std::function<Result<BrokerConfig>()> read;
    // Makes that what runs. The error: it cannot be, and all stays as it was.
    std::function<std::optional<Error>(const BrokerConfig&)> apply;
    // Called every kLook: files may have been replaced. Empty: there are none that may.
    std::function<void()> look = {};
    // Of a cluster's node: its members are handed over from now on; it is over.
    std::function<void()> drains = [] {};
    std::function<void()> stops = [] {};
    std::function<std::optional<NodeState>()> node = [] { return std::optional<NodeState>(); };
  };
  static constexpr Duration kLook = std::chrono::seconds(60);

  // `running`: what the server was opened with. Listens on its `metrics`, and tells its `hook`. Before
  // the first client.
  static Result<std::unique_ptr<BrokerOperation>> begin(boost::asio::io_context& io,
                                                        qps::BrokerServer& server,
                                                        BrokerConfig running, Hooks hooks);
  ~BrokerOperation();
  BrokerOperation(const BrokerOperation&) = delete;
  BrokerOperation& operator=(const BrokerOperation&) = delete;

 private:
  BrokerOperation(boost::asio::io_context& io, qps::BrokerServer& server, BrokerConfig running,
                  Hooks hooks);
  std::optional<Error> open_status(boost::asio::io_context& io);
  std::optional<Error> open_hook(boost::asio::io_context& io);
  std::optional<StatusServer::Page> page(const StatusServer::Request& request);
  void await_signal();
  void on_signal(int signal);
  void on_reload();
  void look_later();
  void drain();
  void stop();

  qps::BrokerServer& server_;
  BrokerConfig config_;
  Hooks hooks_;
  boost::asio::signal_set signals_;
  paceline::Timer deadline_;
  paceline::Timer look_;
  std::unique_ptr<StatusServer> status_;
  std::unique_ptr<EventHook> hook_;  // null: there is none
  bool stopped_ = false;
};

}  // namespace qvid::app
