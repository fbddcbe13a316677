// Accepts connections on one port.
//
// A failed accept is tried again a little later, and told, every ten seconds at the most. Thread:
// that of the io_context only.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "transport/socket/address.h"
#include "transport/socket/connection.h"

namespace paceline {

class Listener {
 public:
  using OnSocket = std::function<void(TcpSocket)>;
  using OnTrouble = std::function<void(const std::string&)>;  // told, and tried again

  // Listens at once; the error says what to do where the port is taken. Port 0: any free one.
  static qvid::Result<std::unique_ptr<Listener>> open(boost::asio::io_context& io,
                                                      const Address& address, OnSocket on_socket,
                                                      OnTrouble on_trouble);
  Address address() const;  // with the real port
  void close();

 private:
  Listener(boost::asio::io_context& io, OnSocket on_socket, OnTrouble on_trouble);
  void accept();
  void tell(const boost::system::error_code& error);

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer retry_;
  OnSocket on_socket_;
  OnTrouble on_trouble_;
  std::optional<qvid::Timestamp> told_;
  int troubles_ = 0;                                      // since it was told
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // a completion on the queue outlives us
};

}  // namespace paceline
