#include "pubsub/server/broker_server.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"

namespace qps {
namespace {

// A client whose sockets are all gone is given this long to come back before the others are told
// that it left.
constexpr Duration kResumeLimit = std::chrono::milliseconds(1500);
constexpr Duration kTurn = std::chrono::milliseconds(100);
// Of messages that are not complete: a stranger's, and a member's.
constexpr ByteCount kOfStranger{64 * 1024};
constexpr ByteCount kOfMember{1024 * 1024};
constexpr const char* kStops = "the broker stops";

// A session of this thread.
class SessionPort : public Port {
 public:
  explicit SessionPort(std::shared_ptr<paceline::Session> session) : session_(std::move(session)) {}

  Result<paceline::MessageId> send(paceline::StreamId stream, paceline::Message message) override {
    constexpr ByteCount kMost = kMaxWaiting - kForControl;
    if (stream != paceline::kFirstStream && session_->queued() > kMost) return queue_full(kMost);
    return session_->send(stream, std::move(message));
  }
  void cancel(paceline::MessageId message) override { session_->cancel(message); }
  paceline::StreamId open_stream() override { return session_->open_stream(); }
  void close_stream(paceline::StreamId stream) override { session_->close_stream(stream); }
  Duration round_trip() const override { return session_->signals().empty_rtt(); }
  void let_in() override { session_->let_in(); }
  ByteCount waiting() const override { return session_->queued(); }
  void hold(Duration time) override { session_->hold_reading(time); }
  void close(const std::string& reason) override { session_->close(reason); }

 private:
  std::shared_ptr<paceline::Session> session_;
};

}  // namespace

paceline::SessionConfig broker_session(paceline::SessionConfig base) {
  base.send_capacity = kMaxWaiting;
  base.resume_limit = std::min(base.resume_limit, kResumeLimit);
  base.stranger_reassembly = kOfStranger;
  base.limits = {.max_message = ByteCount::of(kMaxPart / kMaxFragments + 1024),
                 .max_reassembly = kOfMember,
                 .max_streams = 8};
  return base;
}

// One client: its session's port and what comes of it.
class BrokerServer::ClientSession {
 public:
  ClientSession(BrokerServer& server, std::shared_ptr<Port> port)
      : server_(server), port_(std::move(port)) {}

  // False: its address has too many already.
  bool begin(const std::string& peer) {
    const auto from = paceline::parse_address(peer, 0);
    const bool loopback = from && from->is_loopback();
    if (!loopback) {
      counted_ = from ? from->host : peer;
      if (!server_.addresses_.take(*counted_)) return false;
    }
    client_ = server_.broker_.connect(*port_, peer, loopback);
    return true;
  }

  void close(const std::string& reason) { port_->close(reason); }

  void on_event(paceline::SessionEvent&& event) {
    if (client_ == nullptr) return;
    if (const auto* message = std::get_if<paceline::MessageArrived>(&event)) {
      server_.broker_.on_message(client_, *message, qvid::steady_now());
    } else if (const auto* ended = std::get_if<paceline::MessageEnded>(&event)) {
      server_.broker_.on_ended(client_, *ended, qvid::steady_now());
    } else if (const auto* rate = std::get_if<paceline::PathRate>(&event)) {
      server_.broker_.on_path_rate(client_, *rate, qvid::steady_now());
    } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
      server_.broker_.disconnect(std::exchange(client_, nullptr), closed->detail,
                                 qvid::steady_now());
      if (counted_) server_.addresses_.give_back(*counted_);
      // The handler that called this holds the client.
      std::erase_if(server_.clients_, [&](const auto& c) { return c.get() == this; });
    }
  }

 private:
  BrokerServer& server_;
  std::shared_ptr<Port> port_;
  Broker::Client* client_ = nullptr;
  std::optional<std::string> counted_;  // the address it counts for
};

BrokerServer::BrokerServer(boost::asio::io_context& io, BrokerServerOptions options, BrokerLog log)
    : options_(std::move(options)),
      log_(std::move(log)),
      broker_(options_.broker, log_),
      addresses_(options_.max_per_address),
      timer_(io) {}

BrokerServer::~BrokerServer() = default;

Result<std::unique_ptr<BrokerServer>> BrokerServer::open(boost::asio::io_context& io,
                                                         BrokerServerOptions options,
                                                         BrokerLog log) {
  std::unique_ptr<BrokerServer> server(new BrokerServer(io, std::move(options), std::move(log)));
  const auto raw = server.get();
  const auto on_client = [raw](auto port, const auto& peer) {
    return raw->on_client(std::move(port), peer);
  };
  paceline::Host::OnSession on_session = [on_client](const auto& session) {
    return on_client(std::make_shared<SessionPort>(session), session->peer());
  };
  if (raw->options_.threads > 1) {
    raw->shards_ = std::make_unique<BrokerShards>(io, raw->options_.threads, on_client);
    on_session = [shards = raw->shards_.get()](const auto& s) { return shards->on_session(s); };
  }
  auto host = paceline::Host::open(io, raw->host_options(), std::move(on_session), raw->log_);
  if (!host) return host.error();
  server->host_ = *std::move(host);
  server->arm();
  return server;
}

paceline::HostOptions BrokerServer::host_options() {
  paceline::HostOptions host{.listen = options_.listen,
                             .identity = options_.identity,
                             .session = broker_session(options_.session),
                             .max_sessions = options_.max_clients,
                             .proxies = options_.proxies,
                             .page = options_.page};
  if (shards_) {
    host.place = [shards = shards_.get()]() -> boost::asio::io_context& { return shards->place(); };
  }
  return host;
}

RemotePort::Tell BrokerServer::on_client(const std::shared_ptr<Port>& port,
                                         const std::string& peer) {
  const auto nobody = [](paceline::SessionEvent&&) {};
  if (stopped_) {  // it was on its way
    port->close(kStops);
    return nobody;
  }
  auto client = std::make_shared<ClientSession>(*this, port);
  if (!client->begin(peer)) {
    broker_.note_turned_away();
    log_(peer + ": turned away: too many sessions from its address");
    port->close("too many sessions from your address: at most " +
                std::to_string(addresses_.most()));
    return nobody;
  }
  clients_.push_back(client);
  return [client](paceline::SessionEvent&& event) { client->on_event(std::move(event)); };
}

void BrokerServer::arm() {
  timer_.after(kTurn, [this] {
    broker_.poll(qvid::steady_now());
    arm();
  });
}

void BrokerServer::set_limits(std::size_t max_clients, std::size_t max_per_address,
                              BrokerOptions broker) {
  addresses_.set_most(max_per_address);
  host_->set_max_sessions(max_clients);
  broker_.set_options(std::move(broker));
}

void BrokerServer::drain(const std::string& reason) { broker_.drain(reason); }

void BrokerServer::stop() {
  stopped_ = true;
  timer_.cancel();
  host_->close();
  for (const auto& client : std::vector(clients_)) client->close(kStops);
  if (shards_) shards_->stop();
}

}  // namespace qps
