#include "pubsub/server/broker_shards.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "pubsub/server/weak_port.h"

namespace qps {
namespace {

namespace asio = boost::asio;

// Of one session, that have arrived and that the home has not taken: beyond, it is not read.
constexpr int kMaxUntaken = 256;
constexpr std::int64_t kMaxUntakenBytes = 1024 * 1024;
// Until it is read again, and held again if it is still so.
constexpr Duration kUntilTaken = std::chrono::milliseconds(5);

}  // namespace

struct BrokerShards::Resident {
  Resident(const std::shared_ptr<paceline::Session>& session, Shard& where, Outbox<News>& news)
      : shard(where), port(session), remote(port, [this, &news](PortEvent&& event) {
          const std::optional<std::int64_t> size = size_of(event);
          news.push(Happened{this, std::move(event)});
          if (!size) return;
          const int events = ++untaken;
          const std::int64_t bytes = untaken_bytes += *size;
          if (events > kMaxUntaken || bytes > kMaxUntakenBytes) port.hold(kUntilTaken);
        }) {}

  // Of a message that has arrived: others are answers to what the home did.
  static std::optional<std::int64_t> size_of(const PortEvent& event) {
    const auto* arrived = std::get_if<paceline::MessageArrived>(&event);
    if (arrived == nullptr) return std::nullopt;
    return arrived->payload.byte_count().value();
  }
  // The home's.
  void on_taken(const PortEvent& event) {
    const auto size = size_of(event);
    if (!size) return;
    --untaken;
    untaken_bytes -= *size;
  }

  Shard& shard;
  WeakPort port;
  RemoteSession remote;
  std::atomic<int> untaken = 0;
  std::atomic<std::int64_t> untaken_bytes = 0;
};

struct BrokerShards::Shard {
  struct Order {
    std::shared_ptr<Resident> to;
    PortCommand command;
  };
  Shard(asio::io_context& home, Mailbox<News>& to_home)
      : to_shard(home, orders), news(io, to_home) {}
  ~Shard() { io.stop(); }  // before the thread is joined

  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  Mailbox<Order> orders{io, [](std::vector<Order>& batch) {
                          for (Order& o : batch) o.to->remote.carry_out(std::move(o.command));
                        }};
  Outbox<Order> to_shard;    // the home's
  Outbox<News> news;         // its own
  std::size_t sessions = 0;  // the home's
  std::jthread thread;
};

BrokerShards::BrokerShards(asio::io_context& home, std::size_t threads, OnClient on_client)
    : home_(home),
      on_client_(std::move(on_client)),
      work_(asio::make_work_guard(home)),
      news_(home, [this](std::vector<News>& batch) { take(batch); }),
      running_(threads) {
  for (std::size_t i = 0; i < threads; ++i) {
    shards_.push_back(std::make_unique<Shard>(home_, news_));
  }
  for (const auto& shard : shards_) {
    shard->thread = std::jthread([this, &io = shard->io, alive = std::weak_ptr(alive_)] {
      io.run();
      asio::post(home_, [this, alive] {
        if (!alive.expired()) on_ended();
      });
    });
  }
}

BrokerShards::~BrokerShards() {
  news_.close();
  for (const auto& shard : shards_) shard->io.stop();
  for (const auto& shard : shards_) shard->thread.join();
  while (!clients_.empty()) {
    auto client = clients_.extract(clients_.begin());
    client.mapped().port->on_event(
        paceline::SessionClosed{paceline::CloseReason::kLocal, "the broker has ended"},
        client.mapped().tell);
  }
}

asio::io_context& BrokerShards::place() {
  Shard& shard = **std::ranges::min_element(shards_, {}, [](const auto& s) { return s->sessions; });
  ++shard.sessions;
  return shard.io;
}

paceline::Session::Handler BrokerShards::on_session(
    const std::shared_ptr<paceline::Session>& session) {
  const auto here = std::ranges::find_if(
      shards_, [](const auto& shard) { return shard->io.get_executor().running_in_this_thread(); });
  Shard& shard = **here;
  const auto resident = std::make_shared<Resident>(session, shard, shard.news);
  shard.news.push(Begun{resident, session->peer()});
  return
      [resident](paceline::SessionEvent&& event) { resident->remote.on_event(std::move(event)); };
}

void BrokerShards::stop() {
  for (const auto& shard : shards_) shard->work.reset();
}

void BrokerShards::take(std::vector<News>& batch) {
  for (News& news : batch) {
    if (auto* begun = std::get_if<Begun>(&news)) {
      on_begun(std::move(*begun));
    } else {
      on_happened(std::get<Happened>(std::move(news)));
    }
  }
}

void BrokerShards::on_begun(Begun&& begun) {
  Shard& shard = begun.resident->shard;
  const Resident* const who = begun.resident.get();
  auto port =
      std::make_shared<RemotePort>([&shard, resident = begun.resident](PortCommand&& command) {
        shard.to_shard.push({resident, std::move(command)});
      });
  RemotePort::Tell tell = on_client_(port, begun.peer);
  clients_.emplace(who, Client{shard, std::move(begun.resident), std::move(port), std::move(tell)});
}

void BrokerShards::on_happened(Happened&& happened) {
  const auto it = clients_.find(happened.to);
  if (it == clients_.end()) return;
  it->second.resident->on_taken(happened.event);
  const bool closed = std::holds_alternative<paceline::SessionClosed>(happened.event);
  it->second.port->on_event(std::move(happened.event), it->second.tell);
  if (!closed) return;
  --it->second.shard.sessions;
  clients_.erase(it);
}

void BrokerShards::on_ended() {
  if (--running_ == 0) work_.reset();
}

}  // namespace qps
