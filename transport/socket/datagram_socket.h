// A socket of UDP: a server's, at the port of its TCP, or a client's, for one server.
//
// Nothing waits here but in the kernel's buffers, which drop what does not fit; what cannot be sent
// at once is dropped, as on the way. The largest datagrams are never cut in pieces on the way (the
// don't-fragment bit), so that what is too large is lost, and told from what fits.
//
// Thread: `send` any, while the object is there; the rest that of the io_context. `on_datagram` is
// called from the event loop, and may destroy this.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "transport/socket/address.h"
#include "transport/wire/path_address.h"

namespace paceline {

class DatagramSocket {
 public:
  using OnDatagram =
      std::function<void(const PathAddress& from, std::span<const std::byte> datagram)>;

  // A server's, at an IP address; the error says that the port is taken, or not allowed.
  static qvid::Result<std::unique_ptr<DatagramSocket>> open(boost::asio::io_context& io,
                                                            const Address& address,
                                                            OnDatagram on_datagram);
  // A client's: datagrams of others than `peer` do not come. `peer`: "ip:port".
  static qvid::Result<std::unique_ptr<DatagramSocket>> connect(boost::asio::io_context& io,
                                                               const Address& peer,
                                                               OnDatagram on_datagram);
  DatagramSocket(const DatagramSocket&) = delete;
  DatagramSocket& operator=(const DatagramSocket&) = delete;

  // Nothing that comes is told from here on; sending goes on.
  void stop_reading();
  // Whether the system took it.
  bool send(const PathAddress& to, std::span<const std::byte> datagram);
  // Where a client's goes.
  const PathAddress& peer() const { return peer_; }

 private:
  static qvid::Result<std::unique_ptr<DatagramSocket>> make(boost::asio::io_context& io,
                                                            const Address& address, bool client,
                                                            OnDatagram on_datagram);
  DatagramSocket(boost::asio::io_context& io, OnDatagram on_datagram);
  void wait();
  void read();

  boost::asio::ip::udp::socket socket_;
  OnDatagram on_datagram_;
  PathAddress peer_;
  bool connected_ = false;
  bool v6_ = false;
  std::vector<std::byte> input_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // a completion on the queue outlives us
};

}  // namespace paceline
