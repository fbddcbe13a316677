#include "transport/tls/dial.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using qvid::Duration;
using qvid::Timestamp;

}  // namespace

struct Dial::Attempt : std::enable_shared_from_this<Attempt> {
  Attempt(asio::io_context& io, Address to, DialOptions with, OnConnection then)
      : resolver(io),
        socket(io),
        timer(io),
        address(std::move(to)),
        options(std::move(with)),
        done(std::move(then)) {}

  void start() {
    end_of_time = qvid::steady_now() + options.timeout;
    arm(end_of_time);
    resolver.async_resolve(
        address.host, std::to_string(address.port),
        [self = shared_from_this()](const error_code& e, const tcp::resolver::results_type& found) {
          if (!self->done) return;  // given up while this was on the queue
          if (e) return self->fail("the name cannot be looked up: " + e.message());
          for (const auto& entry : found) self->ends.push_back(entry.endpoint());
          self->why = "the name has no address";
          self->connect_next();
        });
  }

  // Of the time that is left each address gets its share, so that one that is silent (IPv6 that
  // leads nowhere) does not keep the others from being tried.
  void connect_next() {
    if (next == ends.size()) return fail(why);
    const tcp::endpoint end = ends[next++];
    error_code ignored, e;
    socket.close(ignored);
    socket.open(end.protocol(), e);
    if (e) return failed_on_this(e.message());
    if (options.max_segment > 0 && !limit_segment()) return;
    const Timestamp now = qvid::steady_now();
    arm(now + (end_of_time - now) / static_cast<std::int64_t>(ends.size() - next + 1));
    socket.async_connect(end, [self = shared_from_this(), turn = next](const error_code& error) {
      if (!self->done || turn != self->next) return;  // given up, or another's turn
      if (error) return self->failed_on_this(error.message());
      self->on_connected();
    });
  }
  void failed_on_this(std::string reason) {
    why = std::move(reason);
    connect_next();
  }
  bool limit_segment() {
    if (::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_MAXSEG, &options.max_segment,
                     sizeof options.max_segment) == 0) {
      return true;
    }
    const error_code e(errno, boost::system::system_category());
    end(ConnectError{.message = "segments cannot be limited to " +
                                std::to_string(options.max_segment) + " bytes: " + e.message(),
                     .permanent = true});
    return false;
  }

  void on_connected() {
    timer.cancel();
    if (!options.trust) return end(make_plain_connection(std::move(socket)));
    const Duration left = std::max(end_of_time - qvid::steady_now(), Duration::zero());
    handshake.emplace(Handshake::client(
        std::move(socket), options.trust, address.host, address.port, left,
        [weak = weak_from_this()](std::variant<std::unique_ptr<Connection>, ConnectError> result) {
          if (const auto self = weak.lock()) self->end(std::move(result));
        }));
  }

  void arm(Timestamp when) {
    timer.expires_at(when);
    timer.async_wait([self = shared_from_this()](const error_code& e) {
      if (e || !self->done || self->handshake) return;
      if (qvid::steady_now() < self->timer.expiry()) return;  // put off while on the queue
      self->failed_on_this("no answer in time");
    });
  }

  void fail(const std::string& reason) {
    end(ConnectError{.message = "cannot connect to " + address.text() + ": " + reason});
  }
  void end(std::variant<std::unique_ptr<Connection>, ConnectError> result) {
    OnConnection then = std::exchange(done, nullptr);
    give_up();
    if (then) then(std::move(result));
  }
  void give_up() {
    done = nullptr;
    error_code ignored;
    resolver.cancel();
    timer.cancel();
    if (socket.is_open()) socket.close(ignored);
    handshake.reset();
  }

  tcp::resolver resolver;
  tcp::socket socket;
  asio::steady_timer timer;
  Address address;
  DialOptions options;
  OnConnection done;
  Timestamp end_of_time;
  std::vector<tcp::endpoint> ends;
  std::size_t next = 0;  // whose turn it is after the one being tried
  std::string why;       // the last address did not connect
  std::optional<Handshake> handshake;
};

Dial::Dial(asio::io_context& io, const Address& address, const DialOptions& options,
           OnConnection done)
    : attempt_(std::make_shared<Attempt>(io, address, options, std::move(done))) {
  attempt_->start();
}

Dial::~Dial() { attempt_->give_up(); }

}  // namespace paceline
