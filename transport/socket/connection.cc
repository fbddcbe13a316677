#include "transport/socket/connection.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "transport/socket/address.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

class PlainConnection final : public Connection {
 public:
  PlainConnection(TcpSocket socket, std::string peer)
      : Connection(peer.empty() ? peer_name(socket) : std::move(peer), "none"),
        state_(std::make_shared<State>(std::move(socket))) {}
  ~PlainConnection() override { PlainConnection::close(false); }

  void read_some(std::span<std::byte> into, OnDone done) override {
    state_->socket.async_read_some(
        asio::buffer(into.data(), into.size()),
        [state = state_, done = std::move(done)](const error_code& error, std::size_t bytes) {
          if (state->socket.is_open()) done(error, bytes);
        });
  }

  void write(const std::vector<asio::const_buffer>& buffers, OnDone done) override {
    state_->writing = true;
    asio::async_write(
        state_->socket, buffers,
        [state = state_, done = std::move(done)](const error_code& error, std::size_t bytes) {
          if (!state->socket.is_open()) return;
          state->writing = false;
          if (state->ending) state->end();
          done(error, bytes);
        });
  }

  bool write_now(const std::vector<asio::const_buffer>& buffers, OnDone done) override {
    error_code error;
    std::vector<asio::const_buffer> rest(buffers);
    while (!rest.empty() && !error) {  // Asio takes 64 pieces at a time
      std::size_t bytes = state_->socket.write_some(rest, error);
      auto whole = rest.begin();
      for (; whole != rest.end() && bytes >= whole->size(); ++whole) bytes -= whole->size();
      rest.erase(rest.begin(), whole);
      if (bytes > 0) rest.front() += bytes;
    }
    if (rest.empty()) return true;
    if (error == asio::error::would_block || error == asio::error::try_again) {
      write(rest, std::move(done));
      return false;
    }
    // The socket tells it once.
    state_->writing = true;
    asio::post(state_->socket.get_executor(), [state = state_, done = std::move(done), error] {
      if (!state->socket.is_open()) return;
      state->writing = false;
      if (state->ending) state->end();
      done(error, 0);
    });
    return false;
  }

  void shut_down() override {
    if (std::exchange(state_->ending, true) || state_->writing) return;
    state_->end();
  }

  void close(bool abort) override {
    error_code ignored;
    if (!state_->socket.is_open()) return;
    if (abort) state_->socket.set_option(asio::socket_base::linger(true, 0), ignored);
    state_->socket.close(ignored);
  }

  bool is_open() const override { return state_->socket.is_open(); }
  int native_handle() override { return state_->socket.native_handle(); }
  bool move_to(asio::io_context& io) override { return move_socket(state_->socket, io); }

 private:
  // Lives until the last completion has left the queue: it cannot be taken off.
  struct State {
    explicit State(TcpSocket s) : socket(std::move(s)) {
      error_code ignored;
      socket.non_blocking(true, ignored);
    }
    void end() {
      error_code ignored;
      socket.shutdown(TcpSocket::shutdown_send, ignored);
    }

    TcpSocket socket;
    bool writing = false;
    bool ending = false;
  };
  std::shared_ptr<State> state_;
};

}  // namespace

std::string peer_name(const TcpSocket& socket) {
  error_code error;
  const auto end = socket.remote_endpoint(error);
  if (error) return "unknown";
  return Address{.host = end.address().to_string(), .port = end.port()}.text();
}

bool move_socket(TcpSocket& socket, asio::io_context& io) {
  error_code error;
  const auto end = socket.local_endpoint(error);
  const auto protocol = error ? asio::ip::tcp::v4() : end.protocol();
  TcpSocket moved(io);
  const int handle = socket.release(error);
  if (error) return false;
  moved.assign(protocol, handle, error);
  if (error) {
    ::close(handle);
    return false;
  }
  moved.non_blocking(true, error);
  socket = std::move(moved);
  return !error;
}

std::unique_ptr<Connection> make_plain_connection(TcpSocket socket, std::string peer) {
  return std::make_unique<PlainConnection>(std::move(socket), std::move(peer));
}

}  // namespace paceline
