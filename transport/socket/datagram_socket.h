// A socket of UDP: a server's, at the port of its TCP, or a client's, for one server.
//
// Nothing waits here but in the kernel's buffers, which drop what does not fit; what cannot be sent
// at once is dropped, as on the way. The largest datagrams are never cut in pieces on the way (the
// don't-fragment bit), so that what is too large is lost, and told from what fits.
//
// Where the kernel can, many datagrams go through it as one, and come as one (udp(7): UDP_SEGMENT,
// UDP_GRO): its way costs as much as sealing them. Where it refuses, or the device, it is asked no
// more: they go one by one, by one call (sendmmsg).
//
// Thread: `send` any, while the object is there; the rest that of the io_context. `on_datagram` is
// called from the event loop, and may destroy this.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <functional>
#include <memory>
#include <span>

#include "base/result.h"
#include "transport/socket/address.h"
#include "transport/socket/datagram_batch.h"
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
  // What the system does not take is lost.
  void send(const DatagramBatch& batch);
  // Several go through the system as one.
  bool sends_together() const { return cuts_.load(std::memory_order_relaxed); }
  int native_handle() { return socket_.native_handle(); }
  // Where a client's goes.
  const PathAddress& peer() const { return peer_; }

 private:
  static qvid::Result<std::unique_ptr<DatagramSocket>> make(boost::asio::io_context& io,
                                                            const Address& address, bool client,
                                                            OnDatagram on_datagram);
  DatagramSocket(boost::asio::io_context& io, OnDatagram on_datagram);
  void send_one(std::span<const std::byte> datagram, const sockaddr* name, socklen_t name_size);
  int send_together(const DatagramBatch& batch, sockaddr* name, socklen_t name_size);
  bool send_one_by_one(const DatagramBatch& batch, sockaddr* name, socklen_t name_size);
  void wait();
  void read();

  boost::asio::ip::udp::socket socket_;
  OnDatagram on_datagram_;
  PathAddress peer_;
  bool connected_ = false;
  bool v6_ = false;
  std::atomic<bool> cuts_ = true;       // the system has not refused to
  std::unique_ptr<std::byte[]> input_;  // no memory, before something has come to it
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // a completion on the queue outlives us
};

}  // namespace paceline
