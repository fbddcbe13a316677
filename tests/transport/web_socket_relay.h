// Stands between a client and a host on real sockets, as a browser between a page and a server: what
// the client sends goes on by a WebSocket, in messages of several frames with pings between them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/transport/web_socket_client.h"
#include "transport/socket/address.h"

namespace paceline {

class WebSocketRelay {
 public:
  using tcp = boost::asio::ip::tcp;
  using Error = boost::system::error_code;

  WebSocketRelay(boost::asio::io_context& io, const Address& to)
      : io_(io),
        to_(boost::asio::ip::make_address(to.host), to.port),
        acceptor_(io, {boost::asio::ip::address_v4::loopback(), 0}) {
    accept();
  }
  ~WebSocketRelay() { reset_all(); }

  Address address() const {
    return {.host = "127.0.0.1", .port = acceptor_.local_endpoint().port()};
  }
  std::size_t count() const { return pairs_.size(); }
  std::size_t pongs() const { return *pongs_; }
  // The codes of the close frames that the host has sent.
  const std::vector<unsigned>& closes() const { return *closes_; }
  void reset_all() {
    for (const auto& pair : pairs_) pair->reset();
  }

 private:
  struct Pair : std::enable_shared_from_this<Pair> {
    explicit Pair(boost::asio::io_context& io) : page(io), host(io) {}

    void reset() {
      Error ignored;
      for (tcp::socket* socket : {&page, &host}) {
        if (!socket->is_open()) continue;
        socket->set_option(boost::asio::socket_base::linger(true, 0), ignored);
        socket->close(ignored);
      }
    }
    void start() {
      boost::asio::async_write(host, boost::asio::buffer(request),
                               [self = shared_from_this()](const Error& e, std::size_t) {
                                 if (!e) self->read_answer();
                               });
    }
    void read_answer() {
      boost::asio::async_read_until(
          host, boost::asio::dynamic_buffer(answer), "\r\n\r\n",
          [self = shared_from_this()](const Error& e, std::size_t size) {
            if (e) return self->reset();
            EXPECT_TRUE(self->answer.starts_with("HTTP/1.1 101 ")) << self->answer;
            EXPECT_EQ(self->answer.size(), size) << "a server speaks when it was greeted";
            self->up();
            self->down();
          });
    }
    void up() {
      page.async_read_some(boost::asio::buffer(from_page),
                           [self = shared_from_this()](const Error& e, std::size_t n) {
                             if (e == boost::asio::error::operation_aborted) return;
                             self->send(std::as_bytes(std::span(self->from_page).first(n)), !!e);
                           });
    }
    void send(std::span<const std::byte> bytes, bool ends) {
      framed.clear();
      const auto add = [this](std::uint8_t first, std::span<const std::byte> payload) {
        const auto frame = masked_frame(first, payload);
        framed.insert(framed.end(), frame.begin(), frame.end());
      };
      if (ends) {
        const std::array<std::byte, 2> normal{std::byte{0x03}, std::byte{0xe8}};
        add(0x88, normal);
      } else {
        add(0x02, bytes.first(bytes.size() / 2));
        add(0x89, bytes.first(std::min<std::size_t>(bytes.size(), 10)));
        add(0x80, bytes.subspan(bytes.size() / 2));
      }
      boost::asio::async_write(host, boost::asio::buffer(framed),
                               [self = shared_from_this(), ends](const Error& e, std::size_t) {
                                 if (!e && !ends) self->up();
                               });
    }
    void down() {
      host.async_read_some(boost::asio::buffer(from_host),
                           [self = shared_from_this()](const Error& e, std::size_t n) {
                             if (e == boost::asio::error::operation_aborted) return;
                             if (e && e != boost::asio::error::eof) return self->reset();
                             self->take(n, !!e);
                           });
    }
    void take(std::size_t size, bool ended) {
      frames.receive(std::as_bytes(std::span(from_host).first(size)));
      plain.clear();
      while (const auto frame = frames.next()) {
        if (frame->opcode == WebSocketOpcode::pong) ++*pongs;
        if (frame->opcode == WebSocketOpcode::close) closes->push_back(frame->close_code());
        if (frame->opcode != WebSocketOpcode::binary) continue;
        plain.insert(plain.end(), frame->payload.begin(), frame->payload.end());
      }
      boost::asio::async_write(page, boost::asio::buffer(plain),
                               [self = shared_from_this(), ended](const Error& e, std::size_t) {
                                 Error ignored;
                                 if (ended)
                                   self->page.shutdown(tcp::socket::shutdown_send, ignored);
                                 if (!e && !ended) self->down();
                               });
    }

    tcp::socket page, host;
    std::string request = upgrade_request();
    std::string answer;
    std::array<char, 8 * 1024> from_page{}, from_host{};
    std::vector<std::byte> framed, plain;
    ServerFrames frames;
    std::shared_ptr<std::size_t> pongs;
    std::shared_ptr<std::vector<unsigned>> closes;
  };

  void accept() {
    auto pair = std::make_shared<Pair>(io_);
    pair->pongs = pongs_;
    pair->closes = closes_;
    acceptor_.async_accept(pair->page, [this, pair](const Error& error) {
      if (error) return;
      Error refused;  // the host may have gone
      pair->host.connect(to_, refused);
      pairs_.push_back(pair);
      if (refused) {
        pair->reset();
      } else {
        pair->start();
      }
      accept();
    });
  }

  boost::asio::io_context& io_;
  tcp::endpoint to_;
  tcp::acceptor acceptor_;
  std::vector<std::shared_ptr<Pair>> pairs_;
  std::shared_ptr<std::size_t> pongs_ = std::make_shared<std::size_t>();
  std::shared_ptr<std::vector<unsigned>> closes_ = std::make_shared<std::vector<unsigned>>();
};

}  // namespace paceline
