// The broker on real sockets: the thin shell around Broker. One port for everything.
//
// Ownership: its sessions' handlers hold their connections; `stop` closes them all. Thread: the
// io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <vector>

#include "pubsub/address_limit.h"
#include "pubsub/broker.h"
#include "transport/host.h"
#include "transport/timer.h"

namespace qps {

struct BrokerServerOptions {
  paceline::Address listen;
  std::shared_ptr<paceline::Identity> identity;  // empty: no TLS
  paceline::SessionConfig session;               // its limits are set by default_session
  std::size_t max_clients = 1024;
  std::size_t max_per_address = 64;  // of them; not of loopback
  BrokerOptions broker;
};

// What a broker accepts and holds for each client.
paceline::SessionConfig broker_session(paceline::SessionConfig base);

class BrokerServer {
 public:
  // Listens at once.
  static Result<std::unique_ptr<BrokerServer>> open(boost::asio::io_context& io,
                                                    BrokerServerOptions options, BrokerLog log);
  ~BrokerServer();
  BrokerServer(const BrokerServer&) = delete;
  BrokerServer& operator=(const BrokerServer&) = delete;

  paceline::Address address() const { return host_->address(); }
  Broker& broker() { return broker_; }
  // From now on; who is there already stays, beyond new limits too.
  void set_limits(std::size_t max_clients, std::size_t max_per_address, BrokerOptions broker);
  // Nobody new, and all who are there are told to go elsewhere.
  void drain(const std::string& reason);
  void stop();

 private:
  class Connection;

  BrokerServer(boost::asio::io_context& io, BrokerServerOptions options, BrokerLog log);
  paceline::Session::Handler on_session(const std::shared_ptr<paceline::Session>& session);
  void arm();

  BrokerServerOptions options_;
  BrokerLog log_;
  Broker broker_;
  AddressLimit addresses_;
  paceline::Timer timer_;
  std::vector<std::shared_ptr<Connection>> connections_;
  std::unique_ptr<paceline::Host> host_;
};

}  // namespace qps
