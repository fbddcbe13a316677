#include "transport/socket/listener.h"

#include <string>
#include <utility>

#include "base/clock.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kAcceptRetry = std::chrono::milliseconds(100);
constexpr auto kTroubleAgain = std::chrono::seconds(10);  // until the same is told again

}  // namespace

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
    if (e == asio::error::host_not_found || e == boost::system::errc::address_not_available) {
      hint = "; give an address of this machine, or 0.0.0.0 for all of them";
    }
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

// With all descriptors in use there is one every kAcceptRetry.
void Listener::tell(const error_code& error) {
  const qvid::Timestamp now = qvid::steady_now();
  ++troubles_;
  if (told_ && now - *told_ < kTroubleAgain) return;
  told_ = now;
  on_trouble_("cannot accept a connection: " + error.message() +
              (troubles_ > 1 ? " (" + std::to_string(troubles_) + " times since it was last told)"
                             : "; tried again until it works"));
  troubles_ = 0;
}

void Listener::accept() {
  acceptor_.async_accept(
      [this, alive = std::weak_ptr(alive_)](const error_code& error, tcp::socket socket) {
        if (alive.expired() || !acceptor_.is_open() || error == asio::error::operation_aborted)
          return;
        if (error) {
          tell(error);
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

}  // namespace paceline
