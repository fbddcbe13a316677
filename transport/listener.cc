#include "transport/listener.h"

#include <boost/asio/connect.hpp>
#include <charconv>
#include <utility>

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kAcceptRetry = std::chrono::milliseconds(100);

}  // namespace

std::string Address::text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

qvid::Result<Address> parse_address(std::string_view text, std::uint16_t default_port) {
  const qvid::Error bad{
      "'" + std::string(text) +
      "' is no address: write host:port, for example 127.0.0.1:" + std::to_string(default_port)};
  Address address{.host = {}, .port = default_port};
  std::string_view rest = text;
  std::string_view port;
  if (rest.starts_with('[')) {
    const auto end = rest.find(']');
    if (end == std::string_view::npos) return bad;
    address.host = rest.substr(1, end - 1);
    rest = rest.substr(end + 1);
    if (!rest.empty() && rest[0] != ':') return bad;
    if (rest.size() == 1) return bad;
    if (!rest.empty()) port = rest.substr(1);
  } else {
    const auto colon = rest.find(':');
    address.host = rest.substr(0, colon);
    if (colon != std::string_view::npos) {
      port = rest.substr(colon + 1);
      if (port.empty()) return bad;
    }
  }
  if (address.host.empty() || address.host.size() > 253) return bad;
  for (const char c : address.host) {
    const auto u = static_cast<unsigned char>(c);
    if (u <= ' ' || u == 0x7f || c == '[' || c == ']') return bad;
  }
  if (!port.empty()) {
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (error != std::errc{} || end != port.data() + port.size()) return bad;
  }
  return address;
}

Listener::Listener(asio::io_context& io, OnSocket on_socket, OnTrouble on_trouble)
    : acceptor_(io),
      retry_(io),
      on_socket_(std::move(on_socket)),
      on_trouble_(std::move(on_trouble)) {}

qvid::Result<std::unique_ptr<Listener>> Listener::open(asio::io_context& io, const Address& address,
                                                       OnSocket on_socket, OnTrouble on_trouble) {
  const auto failed = [&](const error_code& e) {
    std::string hint;
    if (e == asio::error::address_in_use) hint = "; stop the other server or choose another port";
    if (e == asio::error::access_denied) hint = "; choose a port above 1023";
    return qvid::Error{"cannot listen on " + address.text() + ": " + e.message() + hint};
  };
  error_code e;
  tcp::resolver resolver(io);
  const auto found =
      resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive, e);
  if (e) return failed(e);
  std::unique_ptr<Listener> listener(new Listener(io, std::move(on_socket), std::move(on_trouble)));
  const tcp::endpoint end = *found.begin();
  auto& acceptor = listener->acceptor_;
  acceptor.open(end.protocol(), e);
  if (!e) acceptor.set_option(tcp::acceptor::reuse_address(true), e);
  if (!e) acceptor.bind(end, e);
  if (!e) acceptor.listen(asio::socket_base::max_listen_connections, e);
  if (e) return failed(e);
  listener->accept();
  return listener;
}

Address Listener::address() const {
  error_code e;
  const auto end = acceptor_.local_endpoint(e);
  return {.host = end.address().to_string(), .port = end.port()};
}

void Listener::close() {
  error_code ignored;
  acceptor_.close(ignored);
  retry_.cancel();
}

void Listener::accept() {
  acceptor_.async_accept(
      [this, alive = std::weak_ptr(alive_)](const error_code& error, tcp::socket socket) {
        if (alive.expired() || !acceptor_.is_open() || error == asio::error::operation_aborted)
          return;
        if (error) {
          on_trouble_("cannot accept a connection: " + error.message());
          retry_.expires_after(kAcceptRetry);
          retry_.async_wait([this, alive](const error_code& aborted) {
            if (!aborted && !alive.expired()) accept();
          });
          return;
        }
        OnSocket then = on_socket_;  // it may destroy this listener
        then(std::move(socket));
        if (!alive.expired() && acceptor_.is_open()) accept();
      });
}

struct Dial::Attempt : std::enable_shared_from_this<Attempt> {
  Attempt(asio::io_context& io, Address to, Callback then)
      : resolver(io), socket(io), timer(io), address(std::move(to)), callback(std::move(then)) {}

  void start(qvid::Duration timeout) {
    timer.expires_after(timeout);
    timer.async_wait([self = shared_from_this()](const error_code& e) {
      if (!e) self->fail("no answer in time");
    });
    resolver.async_resolve(
        address.host, std::to_string(address.port),
        [self = shared_from_this()](const error_code& e, const tcp::resolver::results_type& found) {
          if (!self->callback) return;  // given up while this was on the queue
          if (e) return self->fail(e.message());
          asio::async_connect(self->socket, found,
                              [self](const error_code& error, const tcp::endpoint&) {
                                if (error) return self->fail(error.message());
                                self->end(std::move(self->socket));
                              });
        });
  }
  void fail(const std::string& why) {
    end(qvid::Error{"cannot connect to " + address.text() + ": " + why});
  }
  void end(qvid::Result<TcpSocket> result) {
    Callback then = std::exchange(callback, nullptr);
    give_up();
    if (then) then(std::move(result));
  }
  void give_up() {
    callback = nullptr;
    error_code ignored;
    resolver.cancel();
    timer.cancel();
    if (socket.is_open()) socket.close(ignored);
  }

  tcp::resolver resolver;
  tcp::socket socket;
  asio::steady_timer timer;
  Address address;
  Callback callback;
};

Dial::Dial(asio::io_context& io, const Address& address, qvid::Duration timeout, Callback callback)
    : attempt_(std::make_shared<Attempt>(io, address, std::move(callback))) {
  attempt_->start(timeout);
}

Dial::~Dial() { attempt_->give_up(); }

}  // namespace paceline
