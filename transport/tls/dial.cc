#include "transport/tls/dial.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "transport/socket/timer.h"
#include "transport/tls/dial_attempt.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using qvid::Timestamp;
using Stage = ConnectError::Stage;

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
          for (const auto& entry : found) self->ends.push_back(entry.endpoint());
          if (self->ends.empty()) return self->fail("the name has no address", Stage::name);
          self->connect_next();
        });
  }

  // Of the time that is left each address gets its share, so that one that is silent (IPv6 that
  // leads nowhere) does not keep the others from being tried.
  void connect_next() {
    const Timestamp now = qvid::steady_now();
    const Timestamp deadline =
        now + (end_of_time - now) / static_cast<std::int64_t>(ends.size() - next);
    attempt.emplace(io, ends[next++], address, options, deadline,
                    [this](std::variant<std::unique_ptr<Connection>, ConnectError> result) {
                      on_attempt(std::move(result));
                    });
  }
  void on_attempt(std::variant<std::unique_ptr<Connection>, ConnectError> result) {
    auto* error = std::get_if<ConnectError>(&result);
    if (error == nullptr || error->stage != Stage::tcp) return end(std::move(result));
    if (next < ends.size() && !error->permanent) return connect_next();
    error->message = where() + error->message;
    end(std::move(result));
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
  void end(std::variant<std::unique_ptr<Connection>, ConnectError> result) {
    OnConnection then = std::exchange(done, nullptr);
    const auto self = shared_from_this();  // `then` may destroy the Dial
    give_up();
    if (then) then(std::move(result));
  }
  void give_up() {
    done = nullptr;
    resolver.cancel();
    timer.cancel();
    attempt.reset();
  }

  asio::io_context& io;
  tcp::resolver resolver;
  Timer timer;
  const Address address;
  const DialOptions options;
  OnConnection done;
  Timestamp end_of_time;
  std::vector<tcp::endpoint> ends;
  std::size_t next = 0;  // whose turn it is after the one being tried
  std::optional<DialAttempt> attempt;
};

Dial::Dial(asio::io_context& io, const Address& address, const DialOptions& options,
           OnConnection done)
    : state_(std::make_shared<State>(io, address, options, std::move(done))) {
  state_->start();
}

Dial::~Dial() { state_->give_up(); }

}  // namespace paceline
