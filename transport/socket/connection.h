// A connected byte stream to one peer: TCP, TLS 1.3 over TCP, or a WebSocket over one of these. What
// sessions read from and write to; which of them it is they need not know.
//
// Encryption happens as the bytes go to the socket, so what was not written can still be cancelled
// (002 "Limitations"). One read and one write may be under way at a time. Nothing is buffered here
// beyond one TLS record in each direction. Handlers are called from the event loop, never from
// inside a call, and not after the connection was destroyed. Thread: the io_context's, which
// move_to may change.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transport/control/controller.h"

namespace paceline {

using TcpSocket = boost::asio::ip::tcp::socket;

class Connection {
 public:
  using OnDone = std::function<void(const boost::system::error_code&, std::size_t)>;

  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Reads what has come, at least a byte. The peer's end is asio::error::eof, whether it was told
  // (TLS: close_notify) or cut. `into` must stay until the handler is called or the connection is
  // closed or destroyed.
  virtual void read_some(std::span<std::byte> into, OnDone done) = 0;
  // Writes all of `buffers` (copied); what they point to must stay as above.
  virtual void write(const std::vector<boost::asio::const_buffer>& buffers, OnDone done) = 0;
  // The same, but what the socket takes at once needs no turn of the loop. True: it took all, and
  // `done` is not called; what the buffers point to is no longer needed.
  virtual bool write_now(const std::vector<boost::asio::const_buffer>& buffers, OnDone done) = 0;
  // No more will be written, once a write under way is done: the peer reads to the end.
  virtual void shut_down() = 0;
  // Frees the socket at once; no handler is called from here on. `abort`: what the kernel still
  // holds is dropped (RST), not delivered.
  virtual void close(bool abort) = 0;
  virtual bool is_open() const = 0;
  virtual int native_handle() = 0;
  // Handlers are called by `io` from here on; what was read ahead goes along. False: the system
  // refuses (it watches as many sockets as it may), and the connection is closed. Precondition: it
  // is open, nothing is under way, no handler of it is being called, and shut_down was not. Thread:
  // that of the io_context it had; afterwards that of `io`.
  virtual bool move_to(boost::asio::io_context& io) = 0;

  const std::string& peer() const { return peer_; }          // "address:port"
  const std::string& security() const { return security_; }  // "TLSv1.3 ...", or "none"

 protected:
  Connection(std::string peer, std::string security)
      : peer_(std::move(peer)), security_(std::move(security)) {}

 private:
  std::string peer_;
  std::string security_;
};

// The other end as "address:port"; "unknown" where the socket is no longer connected.
std::string peer_name(const TcpSocket& socket);

// Connection::move_to for a bare socket, which does not wait for what it cannot do at once.
bool move_socket(TcpSocket& socket, boost::asio::io_context& io);

// Without encryption. `peer`: "address:port" where another than the socket's other end is meant;
// empty: that one.
std::unique_ptr<Connection> make_plain_connection(TcpSocket socket, std::string peer = {});

}  // namespace paceline
