// Stands between a client and a host on real sockets and does what bad networks do: stops passing
// bytes on, or resets connections.
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <vector>

#include "transport/socket/address.h"

namespace paceline {

class Relay {
 public:
  using tcp = boost::asio::ip::tcp;

  Relay(boost::asio::io_context& io, const Address& to)
      : io_(io),
        to_(boost::asio::ip::make_address(to.host), to.port),
        acceptor_(io, {boost::asio::ip::address_v4::loopback(), 0}) {
    accept();
  }

  Address address() const {
    return {.host = "127.0.0.1", .port = acceptor_.local_endpoint().port()};
  }
  // Connections so far, in the order of their coming.
  std::size_t count() const { return pairs_.size(); }
  bool open(std::size_t i) const {
    const Pair& pair = *pairs_[i];
    return pair.a.open && pair.b.open && !pair.a.ended && !pair.b.ended;
  }
  // Bytes that clients sent over that one.
  std::size_t from_client(std::size_t i) const { return pairs_[i]->a.passed; }
  // Nothing passes any more.
  void freeze(std::size_t i) { pairs_[i]->frozen = true; }
  // Both ends are told by RST.
  void reset(std::size_t i) {
    for (Half* h : {&pairs_[i]->a, &pairs_[i]->b}) h->close();
  }
  void reset_all() {
    for (std::size_t i = 0; i < pairs_.size(); ++i) reset(i);
  }
  // New connections are accepted and reset at once.
  void refuse(bool refuses) { refuses_ = refuses; }

 private:
  struct Half {
    explicit Half(boost::asio::io_context& io) : socket(io) {}
    void close() {
      boost::system::error_code ignored;
      if (!open) return;
      open = false;
      socket.set_option(boost::asio::socket_base::linger(true, 0), ignored);
      socket.close(ignored);
    }
    // Nothing more is sent to it.
    void end() {
      boost::system::error_code ignored;
      if (!open) return;
      ended = true;
      socket.shutdown(tcp::socket::shutdown_send, ignored);
    }
    tcp::socket socket;
    std::array<char, 16 * 1024> buffer{};
    std::size_t passed = 0;
    bool open = true;
    bool ended = false;
  };
  struct Pair {
    explicit Pair(boost::asio::io_context& io) : a(io), b(io) {}
    // An end has told its own: so is the other. Where both have, nothing is left to pass on.
    void pass_end(Half& to) {
      to.end();
      if (!a.ended || !b.ended) return;
      a.close();
      b.close();
    }
    Half a, b;  // the client's, the host's
    bool frozen = false;
  };

  void accept() {
    auto pair = std::make_shared<Pair>(io_);
    acceptor_.async_accept(pair->a.socket, [this, pair](const boost::system::error_code& error) {
      if (error) return;
      if (refuses_) {
        pair->a.close();
      } else {
        boost::system::error_code refused;  // the host may have gone
        pair->b.socket.connect(to_, refused);
        if (refused) {
          pair->a.close();
        } else {
          pass(pair, pair->a, pair->b);
          pass(pair, pair->b, pair->a);
          pairs_.push_back(pair);
        }
      }
      accept();
    });
  }
  static void pass(const std::shared_ptr<Pair>& pair, Half& from, Half& to) {
    from.socket.async_read_some(
        boost::asio::buffer(from.buffer),
        [pair, &from, &to](const boost::system::error_code& error, std::size_t bytes) {
          if (pair->frozen) return;
          if (error == boost::asio::error::eof) return pair->pass_end(to);
          if (error) return to.close();
          from.passed += bytes;
          boost::asio::async_write(
              to.socket, boost::asio::buffer(from.buffer, bytes),
              [pair, &from, &to](const boost::system::error_code& failed, std::size_t) {
                if (!failed && !pair->frozen) pass(pair, from, to);
              });
        });
  }

  boost::asio::io_context& io_;
  tcp::endpoint to_;
  tcp::acceptor acceptor_;
  std::vector<std::shared_ptr<Pair>> pairs_;
  bool refuses_ = false;
};

}  // namespace paceline
