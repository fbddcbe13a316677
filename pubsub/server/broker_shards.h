// The threads of a broker that uses several cores: each runs the sessions that were placed on it,
// with their sockets, encryption and pacing; the rooms stay on one thread, the home's.
//
//   shard's thread                                    home
//   Session -> RemoteSession --events (outbox, mailbox)-->    RemotePort -> Broker
//           <-         <---commands (outbox, mailbox, one a shard)--
//
// Bounds: of each session, the messages that have arrived and that the home has not taken, in the
// .cc: beyond, it is not read for a while, and its sockets fill. Nobody waits for another thread,
// so who sends much holds up himself alone. What the home sends is bounded by each RemotePort.
//
// Ownership: of the threads, which the destructor joins. Sessions that are there still it drops,
// and tells their ends. Thread: the home's, but for on_session. The home's io_context outlives
// this, and its run does not return while a shard runs.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "pubsub/server/mailbox.h"
#include "pubsub/server/outbox.h"
#include "pubsub/server/remote_port.h"
#include "transport/session/session.h"

namespace qps {

class BrokerShards {
 public:
  // A session has begun; `peer`: as Session::peer. Gives what its events go to: arrived, ended, and
  // closed as the last. Thread: the home's.
  using OnClient =
      std::function<RemotePort::Tell(std::shared_ptr<Port> port, const std::string& peer)>;

  // Precondition: threads > 0.
  BrokerShards(boost::asio::io_context& home, std::size_t threads, OnClient on_client);
  ~BrokerShards();
  BrokerShards(const BrokerShards&) = delete;
  BrokerShards& operator=(const BrokerShards&) = delete;

  // Of the shard with the fewest sessions, which has one more from here on; for HostOptions.
  boost::asio::io_context& place();
  // For the Host. Thread: that of a shard.
  paceline::Session::Handler on_session(const std::shared_ptr<paceline::Session>& session);
  // Each shard ends when its sessions have: whoever calls this has closed them.
  void stop();

 private:
  struct Shard;
  struct Resident;  // a session, on its shard
  struct Begun {
    std::shared_ptr<Resident> resident;
    std::string peer;
  };
  struct Happened {
    const Resident* to;
    PortEvent event;
  };
  using News = std::variant<Begun, Happened>;
  struct Client {
    Shard& shard;
    std::shared_ptr<Resident> resident;
    std::shared_ptr<RemotePort> port;
    RemotePort::Tell tell;
  };

  void take(std::vector<News>& batch);
  void on_begun(Begun&& begun);
  void on_happened(Happened&& happened);
  void on_ended();

  boost::asio::io_context& home_;
  OnClient on_client_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;  // for home
  Mailbox<News> news_;
  // By what events name them with; each is there until its SessionClosed.
  std::unordered_map<const Resident*, Client> clients_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::size_t running_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace qps
