// The broker on real sockets: the thin shell around Broker. One port for everything.
//
// On several cores, the sessions are on threads of their own (broker_shards.h) and the rooms on
// this one; with one thread all is here.
//
// Ownership: its sessions' handlers hold their connections; `stop` closes them all, and the run of
// the io_context returns when they have ended, a second later at the most. Thread: the
// io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "pubsub/broker/address_limit.h"
#include "pubsub/broker/broker.h"
#include "pubsub/server/broker_shards.h"
#include "transport/session/host.h"
#include "transport/socket/timer.h"

namespace qps {

struct BrokerServerOptions {
  paceline::Address listen;
  std::shared_ptr<paceline::Identity> identity;  // empty: no TLS
  std::vector<paceline::Network> proxies = {};   // HostOptions::proxies
  // HostOptions::page
  std::function<paceline::HttpPage(std::string_view, const paceline::Address&)> page = {};
  paceline::SessionConfig session;  // its limits are set by default_session
  std::size_t max_clients = 1024;
  std::size_t max_per_address = 64;  // of them; not of loopback
  // 1: all on the io_context's. More: so many for sessions, beside the io_context's for rooms.
  std::size_t threads = 1;
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
  // Of those who have not joined, or could not.
  paceline::HostStats host_stats() const { return host_->stats(); }
  // From now on; who is there already stays, beyond new limits too.
  void set_limits(std::size_t max_clients, std::size_t max_per_address, BrokerOptions broker);
  // For who comes from now on. Precondition: it was opened with one.
  void set_identity(std::shared_ptr<paceline::Identity> identity) {
    host_->set_identity(std::move(identity));
  }
  // Nobody new, and all who are there are told to go elsewhere.
  void drain(const std::string& reason);
  void stop();

 private:
  class ClientSession;

  BrokerServer(boost::asio::io_context& io, BrokerServerOptions options, BrokerLog log);
  paceline::HostOptions host_options();
  RemotePort::Tell on_client(const std::shared_ptr<Port>& port, const std::string& peer);
  void arm();

  BrokerServerOptions options_;
  BrokerLog log_;
  Broker broker_;
  AddressLimit addresses_;
  paceline::Timer timer_;
  std::vector<std::shared_ptr<ClientSession>> clients_;
  std::unique_ptr<BrokerShards> shards_;  // with several threads
  std::unique_ptr<paceline::Host> host_;
  bool stopped_ = false;
};

}  // namespace qps
