// An engine of QUIC on a UDP socket: reads what comes, writes in bursts at the engine's pace, and
// keeps its timer. A datagram that the socket does not take is lost, as in the network.
//
// Thread: that of its event loop, where it is destroyed after the loop's end.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "lab/bed/quic_engine.h"

namespace qvid::lab {

class QuicSocket {
 public:
  using Accept =
      std::function<std::unique_ptr<QuicEngine>(std::span<const std::byte> first, Timestamp now)>;

  explicit QuicSocket(boost::asio::io_context& io) : socket_(io), timer_(io) {}

  // One of the two. `accept` is asked with every datagram until it makes an engine; then who sent it
  // is the peer.
  void connect(const boost::asio::ip::udp::endpoint& peer, std::unique_ptr<QuicEngine> engine);
  void listen(const boost::asio::ip::udp::endpoint& at, Accept accept);

  const QuicEngine* engine() const { return engine_.get(); }  // null: there is none yet
  // There is something new to send or to cancel.
  void pump();
  void close();  // tells the peer; may be called twice

 private:
  void open(const boost::asio::ip::udp::endpoint& at);
  void wait_readable();
  void read();
  void send(std::size_t size);

  boost::asio::ip::udp::socket socket_;
  boost::asio::steady_timer timer_;
  boost::asio::ip::udp::endpoint peer_;
  Accept accept_;
  std::unique_ptr<QuicEngine> engine_;
  std::array<std::byte, 2048> buffer_{};  // more than a packet of the link
  bool closed_ = false;
};

}  // namespace qvid::lab
