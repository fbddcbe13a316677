#include "transport/tls/dial.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "transport/socket/timer.h"
#include "transport/tls/connection_race.h"
#include "transport/tls/dial_attempt.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using qvid::Timestamp;
using Stage = ConnectError::Stage;
using DialResult = std::variant<std::unique_ptr<Connection>, ConnectError>;

constexpr int kMostReasons = 4;

std::string text_of(const tcp::endpoint& end) {
  return Address{.host = end.address().to_string(), .port = end.port()}.text();
}

}  // namespace

struct Dial::State : std::enable_shared_from_this<State> {
  State(asio::io_context& on, Address to, DialOptions with, OnConnection then)
      : io(on),
        resolver(on),
        timer(on),
        address(std::move(to)),
        options(std::move(with)),
        done(std::move(then)) {}

  const Address& next_hop() const {
    return options.proxy ? options.proxy->server.address : address;
  }

  void start() {
    end_of_time = qvid::steady_now() + options.timeout;
    timer.at(end_of_time,
             [this] { fail("the name cannot be looked up: no answer in time", Stage::name); });
    resolver.async_resolve(
        next_hop().host, std::to_string(next_hop().port),
        [self = shared_from_this()](const error_code& e, const tcp::resolver::results_type& found) {
          if (!self->done) return;  // given up while this was on the queue
          self->timer.cancel();
          if (e) {
            return self->fail("the name cannot be looked up: " + e.message(), Stage::name);
          }
          std::vector<tcp::endpoint> all;
          for (const auto& entry : found) all.push_back(entry.endpoint());
          self->begin(all);
        });
  }

  void begin(const std::vector<tcp::endpoint>& found) {
    const Timestamp now = qvid::steady_now();
    ends = interleaved(std::span(found),
                       [](const tcp::endpoint& end) { return end.protocol() == tcp::v6(); });
    std::stable_partition(ends.begin(), ends.end(),
                          [&](const tcp::endpoint& end) { return text_of(end) == options.first; });
    race.emplace(ends.size(), now);
    if (race->lost()) return fail("the name has no address", Stage::name);
    run(now);
  }

  void run(Timestamp now) {
    while (const auto index = race->next(now)) {
      attempts.emplace_back(
          io, ends[*index], address, options, end_of_time,
          [this, at = ends[*index]](DialResult result) { on_attempt(at, std::move(result)); });
    }
    if (race->due() == qvid::kNever) return timer.cancel();
    timer.at(race->due(), [this] { run(qvid::steady_now()); });
  }

  // What is over stays until the end: it may be calling us.
  void on_attempt(const tcp::endpoint& at, DialResult result) {
    auto* error = std::get_if<ConnectError>(&result);
    // Who is not who he should be is told, and not passed over.
    if (error == nullptr || error->untrusted) return end(std::move(result));
    if (error->stage == Stage::tcp) note(at, error->message);
    // Of several the one that came the furthest says the most.
    if (!worst || error->stage > worst->stage) worst = std::move(*error);
    const Timestamp now = qvid::steady_now();
    race->failed(now);
    if (!race->lost()) return run(now);
    if (worst->stage == Stage::tcp) worst->message = where() + reasons;
    end(*std::move(worst));
  }
  void note(const tcp::endpoint& at, const std::string& why) {
    if (ends.size() == 1) {
      reasons = why;
    } else if (++noted <= kMostReasons) {
      reasons += (noted == 1 ? "" : "; ") + text_of(at) + ": " + why;
    } else if (noted == kMostReasons + 1) {
      reasons += "; and so on";
    }
  }

  // Before a reason why not even TCP comes about.
  std::string where() const {
    if (!options.proxy) return "cannot connect to " + address.text() + ": ";
    return "cannot reach the proxy " + options.proxy->server.text() +
           " (is it the right one? --proxy names another, or direct): ";
  }
  void fail(const std::string& reason, Stage stage) {
    end(ConnectError{.message = where() + reason, .stage = stage});
  }
  void end(DialResult result) {
    OnConnection then = std::exchange(done, nullptr);
    const auto self = shared_from_this();  // `then` may destroy the Dial
    give_up();
    if (then) then(std::move(result));
  }
  void give_up() {
    done = nullptr;
    resolver.cancel();
    timer.cancel();
    attempts.clear();
  }

  asio::io_context& io;
  tcp::resolver resolver;
  Timer timer;
  const Address address;
  const DialOptions options;
  OnConnection done;
  Timestamp end_of_time;
  std::vector<tcp::endpoint> ends;
  std::optional<ConnectionRace> race;
  std::list<DialAttempt> attempts;
  std::optional<ConnectError> worst;  // of those that failed
  std::string reasons;                // of those to which TCP did not come about
  int noted = 0;
};

Dial::Dial(asio::io_context& io, const Address& address, const DialOptions& options,
           OnConnection done)
    : state_(std::make_shared<State>(io, address, options, std::move(done))) {
  state_->start();
}

Dial::~Dial() { state_->give_up(); }

}  // namespace paceline
