#include "transport/tls/dial_attempt.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/rand.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "transport/proxy/proxy_talk.h"
#include "transport/socket/timer.h"
#include "transport/tls/proxy_tickets.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using qvid::Duration;
using qvid::Timestamp;
using Stage = ConnectError::Stage;

std::string fresh_cnonce() {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) return {};
  return qvid::hexadecimal(bytes);
}

}  // namespace

struct DialAttempt::State : std::enable_shared_from_this<State> {
  State(asio::io_context& context, const tcp::endpoint& to, Address of, DialOptions with,
        Timestamp until, OnConnection then)
      : io(context),
        socket(io),
        timer(io),
        end_point(to),
        server(std::move(of)),
        options(std::move(with)),
        deadline(until),
        done(std::move(then)) {}

  void start() {
    timer.at(deadline, [this] { on_time_out(); });
    connect();
  }

  void connect() {
    stage = Stage::tcp;
    error_code e;
    socket.close(e);
    socket.open(end_point.protocol(), e);
    if (e) return fail_later(e.message(), Stage::tcp);
    if (options.max_segment > 0 &&
        ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_MAXSEG, &options.max_segment,
                     sizeof options.max_segment) != 0) {
      const error_code why(errno, boost::system::system_category());
      return fail_later("segments cannot be limited to " + std::to_string(options.max_segment) +
                            " bytes: " + why.message(),
                        Stage::tcp, true);
    }
    socket.async_connect(end_point, [self = shared_from_this()](const error_code& error) {
      if (!self->done) return;
      if (error) return self->fail(error.message(), Stage::tcp);
      if (!self->options.proxy) return self->secure();
      self->stage = Stage::proxy;
      self->talk = start_talk(*self->options.proxy, self->server, self->talks, fresh_cnonce());
      self->socket.non_blocking(true);
      self->converse();
    });
  }

  void converse() {
    if (!done) return;
    sent = talk->take_output();
    if (!sent.empty()) {
      asio::async_write(socket, asio::buffer(sent),
                        [self = shared_from_this()](const error_code& error, std::size_t) {
                          if (!self->done) return;
                          // Where the proxy has closed it, it may have said why before.
                          if (error) self->talk->end();
                          self->converse();
                        });
      return;
    }
    switch (talk->state()) {
      case ProxyTalk::State::open: return secure();
      case ProxyTalk::State::failed:
        return fail(talk->failure().message, Stage::proxy, talk->failure().permanent);
      case ProxyTalk::State::again: ++talks; return connect();
      case ProxyTalk::State::ticket: return fetch_ticket();
      case ProxyTalk::State::talking: break;
    }
    socket.async_wait(tcp::socket::wait_read, [self = shared_from_this()](const error_code& error) {
      if (!self->done || error == asio::error::operation_aborted) return;
      self->listen();
      self->converse();
    });
  }

  void fetch_ticket() {
    ProxyTickets::of(io).make(io, options.proxy->server.address.host,
                              [weak = weak_from_this()](const qvid::Result<std::string>& ticket) {
                                const auto self = weak.lock();
                                if (!self || !self->done) return;
                                self->talk->ticket(ticket);
                                self->converse();
                              });
  }

  // What is behind the proxy's last word stays in the socket.
  void listen() {
    std::array<char, 2048> bytes{};
    error_code error;
    const auto peek = tcp::socket::message_peek;
    const std::size_t here = socket.receive(asio::buffer(bytes), peek, error);
    if (error == asio::error::would_block || error == asio::error::try_again) return;
    if (error) return talk->end();
    const std::size_t used = talk->receive({bytes.data(), here});
    socket.receive(asio::buffer(bytes.data(), used), 0, error);
  }

  void secure() {
    stage = Stage::tls;
    if (!options.trust) return end(make_plain_connection(std::move(socket)));
    const Duration left = std::max(deadline - qvid::steady_now(), Duration::zero());
    timer.cancel();
    handshake.emplace(Handshake::client(
        std::move(socket), options.trust, server.host, server.port, left,
        [weak = weak_from_this()](std::variant<std::unique_ptr<Connection>, ConnectError> result) {
          const auto self = weak.lock();
          if (!self) return;
          if (auto* error = std::get_if<ConnectError>(&result)) self->add_proxy(*error);
          self->end(std::move(result));
        }));
  }

  // A proxy that opens TLS ends it there: its certificate is its own, and ours of ALPN is not asked
  // for at the server.
  void add_proxy(ConnectError& error) const {
    if (!options.proxy) return;
    const std::string who = "the proxy " + options.proxy->server.text();
    if (error.stage == Stage::protocol) {
      error.message = who + " opens TLS, or " + server.text() +
                      " is another service: " + error.message +
                      ". Ask who runs the proxy not to inspect " + server.text();
    } else if (error.stage == Stage::identity) {
      error.message += ". The connection goes through " + who +
                       ": if it opens TLS to inspect it, ask for an exception for " + server.text();
    }
  }

  void on_time_out() {
    if (stage == Stage::tcp) return fail("no answer in time", stage);
    talk->time_out();
    fail(talk->failure().message, stage);
  }

  void fail(std::string message, Stage at, bool permanent = false) {
    end(ConnectError{.message = std::move(message), .permanent = permanent, .stage = at});
  }
  void fail_later(std::string message, Stage at, bool permanent = false) {
    asio::post(socket.get_executor(), [self = shared_from_this(), message = std::move(message), at,
                                       permanent] { self->fail(message, at, permanent); });
  }
  void end(std::variant<std::unique_ptr<Connection>, ConnectError> result) {
    OnConnection then = std::exchange(done, nullptr);
    const auto self = shared_from_this();  // `then` may destroy its owner
    give_up();
    if (then) then(std::move(result));
  }
  void give_up() {
    done = nullptr;
    error_code ignored;
    timer.cancel();
    if (socket.is_open()) socket.close(ignored);
    handshake.reset();
  }

  asio::io_context& io;
  tcp::socket socket;
  Timer timer;
  const tcp::endpoint end_point;
  const Address server;
  const DialOptions options;
  const Timestamp deadline;
  OnConnection done;
  Stage stage{};
  std::unique_ptr<ProxyTalk> talk;
  int talks = 0;     // that ended with `again`
  std::string sent;  // while it is being written
  std::optional<Handshake> handshake;
};

DialAttempt::DialAttempt(asio::io_context& io, const tcp::endpoint& end, const Address& server,
                         const DialOptions& options, Timestamp deadline, OnConnection done)
    : state_(std::make_shared<State>(io, end, server, options, deadline, std::move(done))) {
  state_->start();
}

DialAttempt::~DialAttempt() { state_->give_up(); }

}  // namespace paceline
