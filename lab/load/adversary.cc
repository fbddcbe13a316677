#include "lab/load/adversary.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "pubsub/client/room_client.h"
#include "transport/tls/dial.h"

namespace qvid::lab {
namespace {

namespace asio = boost::asio;
using Kind = BrokerTrouble;
using Counts = Adversary::Counts;

constexpr Duration kTurn = std::chrono::milliseconds(1);
constexpr Duration kComesAgain = std::chrono::milliseconds(100);

// A second.
double rate_of(Kind kind) {
  switch (kind) {
    case Kind::kHandshakes:
    case Kind::kSlowHandshakes: return 200;
    case Kind::kFragments:
    case Kind::kDescending: return 20'000;
    case Kind::kCriteria: return 50;
    default: return 2'000;
  }
}

// With a Trust of its own each: with another's ticket the broker would not have to sign.
class Handshakes final : public Adversary::Act {
 public:
  Handshakes(asio::io_context& io, const AdversaryOptions& options, Counts& counts)
      : io_(io), options_(options), counts_(counts) {}

  void once() override {
    auto trust = paceline::Trust::make(options_.trust);
    if (!trust || dials_.size() >= Adversary::kMostHandshakes) return;
    const std::uint64_t number = begun_++;
    dials_[number] = std::make_unique<paceline::Dial>(
        io_, options_.broker, paceline::DialOptions{.trust = *std::move(trust)},
        [this, number](auto result) {
          if (auto* connection = std::get_if<std::unique_ptr<paceline::Connection>>(&result)) {
            ++counts_.done;
            (*connection)->close(true);
          }
          // Not from within itself.
          asio::post(io_, [this, number] { dials_.erase(number); });
        });
  }

 private:
  asio::io_context& io_;
  const AdversaryOptions options_;
  Counts& counts_;
  std::unordered_map<std::uint64_t, std::unique_ptr<paceline::Dial>> dials_;
  std::uint64_t begun_ = 0;
};

class SlowHandshakes final : public Adversary::Act {
 public:
  SlowHandshakes(asio::io_context& io, const AdversaryOptions& options, Counts& counts)
      : io_(io),
        broker_(asio::ip::make_address(options.broker.host), options.broker.port),
        counts_(counts) {}

  void once() override {
    if (sockets_.size() >= Adversary::kMostSlow) sockets_.pop_front();
    auto socket = std::make_shared<asio::ip::tcp::socket>(io_);
    sockets_.push_back(socket);
    socket->async_connect(broker_, [this, socket](const boost::system::error_code& failed) {
      constexpr std::array<char, 3> kBegins{22, 3, 1};  // of a TLS record
      boost::system::error_code ignored;
      if (failed || socket->write_some(asio::buffer(kBegins), ignored) == 0) return;
      ++counts_.done;
    });
  }

 private:
  asio::io_context& io_;
  const asio::ip::tcp::endpoint broker_;
  Counts& counts_;
  std::deque<std::shared_ptr<asio::ip::tcp::socket>> sockets_;
};

// A member who comes again when he is closed.
class Sessions {
 public:
  Sessions(asio::io_context& io, const AdversaryOptions& options, Counts& counts)
      : io_(io), options_(options), counts_(counts), timer_(io) {}

  // Null: it is no member now. `joined` is called at every beginning.
  qps::RoomClient* member(const std::string& name, std::function<void(qps::RoomClient&)> joined) {
    if (!client_ && !waits_) begin(name, std::move(joined));
    return client_ && client_->joined() ? client_.get() : nullptr;
  }

 private:
  void begin(const std::string& name, std::function<void(qps::RoomClient&)> joined) {
    auto trust = paceline::Trust::make(options_.trust);
    if (!trust) return;
    client_ = std::make_unique<qps::RoomClient>(
        io_, paceline::Session::Remote{.address = options_.broker, .trust = *std::move(trust)},
        paceline::SessionConfig{}, qps::Join{.room = options_.room, .name = name, .token = {}},
        qps::RoomClient::Callbacks{
            .joined = [this, joined = std::move(joined)] { joined(*client_); },
            .ended = [this](const std::string&, bool) { on_ended(); }});
  }

  void on_ended() {
    ++counts_.closed;
    // Called by the client itself, which shall not go from under its feet.
    asio::post(io_, [old = std::shared_ptr<qps::RoomClient>(std::move(client_))] {});
    waits_ = true;
    timer_.after(kComesAgain, [this] { waits_ = false; });
  }

  asio::io_context& io_;
  const AdversaryOptions& options_;
  Counts& counts_;
  paceline::Timer timer_;
  bool waits_ = false;
  std::unique_ptr<qps::RoomClient> client_;
};

class Requests final : public Adversary::Act {
 public:
  Requests(asio::io_context& io, AdversaryOptions options, Counts& counts)
      : options_(std::move(options)), counts_(counts), sessions_(io, options_, counts) {}

  void once() override {
    qps::RoomClient* client = sessions_.member("adversary", [](qps::RoomClient&) {});
    if (client == nullptr || client->session().queued().value() > Adversary::kMostQueued) return;
    request(*client);
    ++counts_.done;
  }

 private:
  void request(qps::RoomClient& client) {
    ++number_;
    if (options_.kind == Kind::kRequests) return client.unwatch(99);
    number_ % 2 == 0 ? client.unpublish() : client.publish("adversary");
  }

  const AdversaryOptions options_;
  Counts& counts_;
  Sessions sessions_;
  std::uint64_t number_ = 0;
};

class Criteria final : public Adversary::Act {
 public:
  Criteria(asio::io_context& io, AdversaryOptions options, Counts& counts)
      : options_(std::move(options)), counts_(counts), sessions_(io, options_, counts) {
    for (std::size_t i = 0; i < kPublishers; ++i) {
      publishers_.push_back(std::make_unique<Sessions>(io, options_, counts));
    }
  }

  // Every time another one's rank may have changed; and now and then other criteria.
  void once() override {
    const auto number = static_cast<std::size_t>(asked_++) % kPublishers;
    qps::RoomClient* publisher =
        publishers_[number]->member(fmt::format("accomplice-{}", number),
                                    [](qps::RoomClient& joined) { joined.publish("adversary"); });
    if (publisher != nullptr) publisher->set_attributes({{"loudness", -asked_}});
    qps::RoomClient* client = sessions_.member("adversary", [](qps::RoomClient&) {});
    if (client == nullptr || asked_ % kBetweenWatches != 0) return;
    client->watch({.viewer = static_cast<std::uint32_t>(1 + asked_ / kBetweenWatches % 4),
                   .names = {},
                   .best = kCostly,
                   .seats = 1 + static_cast<int>(asked_ / kBetweenWatches % 8),
                   .window = 100ms});
    ++counts_.done;
  }

 private:
  static constexpr std::size_t kPublishers = 60;
  static constexpr std::int64_t kBetweenWatches = 12;  // 240 ms: more often is refused
  // Some 40,000 steps of the 50,000 that there may be.
  static constexpr const char* kCostly =
      "ORDER BY (SELECT count(*) FROM publishers AS a WHERE a.loudness > publishers.loudness AND "
      "length(a.name) > 1 AND abs(a.width) >= 0)";

  const AdversaryOptions options_;
  Counts& counts_;
  Sessions sessions_;
  std::vector<std::unique_ptr<Sessions>> publishers_;
  std::int64_t asked_ = 0;
};

class Fragments final : public Adversary::Act {
 public:
  Fragments(asio::io_context& io, AdversaryOptions options, Counts& counts)
      : options_(std::move(options)), counts_(counts), publisher_(io, options_, counts) {
    for (std::size_t i = 0; i < Adversary::kAccomplices; ++i) {
      accomplices_.push_back(std::make_unique<Sessions>(io, options_, counts));
    }
  }

  void once() override {
    for (std::size_t i = 0; i < accomplices_.size(); ++i) {
      accomplices_[i]->member(fmt::format("accomplice-{}", i), [](qps::RoomClient& client) {
        client.watch({.viewer = 1, .names = {"adversary"}, .best = "", .seats = 1, .window = 1s});
      });
    }
    qps::RoomClient* client = publisher_.member(
        "adversary", [](qps::RoomClient& joined) { joined.publish("adversary"); });
    if (client == nullptr || client->session().queued().value() > Adversary::kMostQueued) return;
    const bool falls = options_.kind == Kind::kDescending;
    const Timestamp now = steady_now();
    const std::int64_t item = falls ? qps::kMaxItem - 1 - sent_ : sent_;
    if (!client->send({.item = item, .part = 0},
                      {.begins = true, .vital = true, .importance = 200, .due = now}, filling_,
                      now + 1s)) {
      return;
    }
    ++sent_;
    ++counts_.done;
  }

 private:
  const AdversaryOptions options_;
  Counts& counts_;
  Sessions publisher_;
  std::vector<std::unique_ptr<Sessions>> accomplices_;
  const Payload filling_ = Payload::copy_of(std::string_view("x"));
  std::int64_t sent_ = 0;
};

std::unique_ptr<Adversary::Act> act_of(asio::io_context& io, AdversaryOptions options,
                                       Counts& counts) {
  switch (options.kind) {
    case Kind::kHandshakes: return std::make_unique<Handshakes>(io, options, counts);
    case Kind::kSlowHandshakes: return std::make_unique<SlowHandshakes>(io, options, counts);
    case Kind::kCriteria: return std::make_unique<Criteria>(io, std::move(options), counts);
    case Kind::kRequests:
    case Kind::kPublishing: return std::make_unique<Requests>(io, std::move(options), counts);
    case Kind::kFragments:
    case Kind::kDescending: return std::make_unique<Fragments>(io, std::move(options), counts);
    default: return nullptr;
  }
}

}  // namespace

bool Adversary::has(BrokerTrouble kind) {
  return kind > Kind::kNone && kind < Kind::kHaltedViewers;
}

Adversary::Adversary(AdversaryOptions options)
    : counts_(std::make_unique<Counts>()),
      every_(from_seconds(1 / rate_of(options.kind))),
      next_(steady_now()),
      act_(act_of(io_, std::move(options), *counts_)) {
  asio::post(io_, [this] { tick(); });
  thread_ = std::jthread([this] { io_.run(); });
}

Adversary::~Adversary() {
  io_.stop();
  thread_.join();
  act_.reset();
}

void Adversary::tick() {
  const Timestamp now = steady_now();
  next_ = std::max(next_, now - 10 * kTurn);  // what was too late is not made up for
  for (; next_ <= now; next_ += every_) act_->once();
  timer_.after(kTurn, [this] { tick(); });
}

}  // namespace qvid::lab
