// The way by which others reach a program of this machine, that can be cut: a port of its own, whose
// connections are passed on.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <string>
#include <thread>

#include "tests/transport/relay.h"

namespace e2e {

class Way {
 public:
  // To a program that listens already, or will at listen().
  explicit Way(const paceline::Address& to = free_port())
      : to_(to), relay_(io_, to_), thread_([this] { io_.run(); }) {}
  ~Way() { io_.stop(); }
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

  // Where the program listens, and where others find it.
  std::string listen() const { return to_.text(); }
  std::string advertise() const { return relay_.address().text(); }
  // On: all connections are reset, and new ones as they come.
  void cut(bool on) {
    std::promise<void> done;
    boost::asio::post(io_, [&] {
      relay_.refuse(on);
      if (on) relay_.reset_all();
      done.set_value();
    });
    done.get_future().wait();
  }

 private:
  static paceline::Address free_port() {
    boost::asio::io_context io;
    const boost::asio::ip::tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
    return {.host = "127.0.0.1", .port = acceptor.local_endpoint().port()};
  }

  boost::asio::io_context io_{1};
  const paceline::Address to_;
  paceline::Relay relay_;
  std::jthread thread_;
};

}  // namespace e2e
