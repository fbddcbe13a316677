#include "transport/socket/proxy_header_reader.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "transport/socket/proxy_header.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

}  // namespace

struct ProxyHeaderReader::State : std::enable_shared_from_this<State> {
  State(TcpSocket of, qvid::Duration within) : socket(std::move(of)), timer(socket.get_executor()) {
    error_code ignored;
    socket.non_blocking(true, ignored);
    timer.expires_after(within);
  }

  void start(OnClient then) {
    done = std::move(then);
    timer.async_wait([self = shared_from_this()](const error_code& e) {
      if (!e) self->end(std::nullopt);
    });
    wait();
  }

  void wait() {
    socket.async_wait(TcpSocket::wait_read, [self = shared_from_this()](const error_code& e) {
      if (!self->done || e == asio::error::operation_aborted) return;
      self->read();
    });
  }

  void read() {
    std::array<char, 256> bytes{};
    error_code e;
    const std::size_t here = socket.receive(asio::buffer(bytes), TcpSocket::message_peek, e);
    if (e == asio::error::would_block || e == asio::error::try_again) return wait();
    if (e) return end(std::nullopt);
    const std::size_t used = header.receive({bytes.data(), here});
    socket.receive(asio::buffer(bytes.data(), used), 0, e);
    if (header.state() == ProxyHeader::State::reading) return wait();
    if (header.state() == ProxyHeader::State::failed) return end(std::nullopt);
    end(std::move(socket));
  }

  void end(std::optional<TcpSocket> result) {
    OnClient then = std::exchange(done, nullptr);
    give_up();
    if (then) then(std::move(result), header.client());
  }
  void give_up() {
    done = nullptr;
    error_code ignored;
    timer.cancel();
    if (socket.is_open()) socket.close(ignored);
  }

  TcpSocket socket;
  asio::steady_timer timer;
  ProxyHeader header;
  OnClient done;
};

ProxyHeaderReader::ProxyHeaderReader(TcpSocket socket, qvid::Duration timeout)
    : state_(std::make_shared<State>(std::move(socket), timeout)) {}

ProxyHeaderReader::~ProxyHeaderReader() { state_->give_up(); }

void ProxyHeaderReader::start(OnClient done) { state_->start(std::move(done)); }

}  // namespace paceline
