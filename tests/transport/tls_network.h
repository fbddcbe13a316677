// Both ends of TLS connections on real loopback sockets with one event loop: every wait is bounded,
// no sleeps.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "tests/transport/event_loop.h"
#include "tests/transport/signed_certificate.h"
#include "transport/tls/tls.h"

namespace paceline {

namespace asio = boost::asio;
using asio::ip::tcp;
using qvid::operator""s;

struct TlsNetwork : EventLoop {
  using Outcome = std::variant<std::unique_ptr<Connection>, ConnectError>;

  std::pair<TcpSocket, TcpSocket> sockets() {
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    TcpSocket client(io);
    client.connect(acceptor.local_endpoint());
    TcpSocket server = acceptor.accept();
    return {std::move(client), std::move(server)};
  }
  OnConnection into(std::optional<Outcome>& outcome) {
    return [&outcome](Outcome o) {
      EXPECT_FALSE(outcome) << "called twice";
      outcome = std::move(o);
    };
  }
  static std::shared_ptr<Trust> trust_in(const TrustOptions& options) {
    auto trust = Trust::make(options);
    EXPECT_TRUE(trust) << trust.error().message;
    return trust ? *trust : nullptr;
  }
  static std::shared_ptr<Trust> trust_in(const Identity& server) {
    return trust_in({.fingerprint = server.fingerprint(), .ca_file = {}, .known_hosts = {}});
  }
  // Both ends of one connection; an end that failed left its error.
  struct Ends {
    std::unique_ptr<Connection> client, server;
    ConnectError client_error, server_error;
  };
  Ends connect(const std::shared_ptr<Trust>& trust, const std::shared_ptr<Identity>& identity,
               const std::string& host = "a.example", std::uint16_t port = 4433) {
    auto [c, s] = sockets();
    std::optional<Outcome> client, server;
    const auto at_server = Handshake::server(std::move(s), identity, 5s, into(server));
    const auto at_client = Handshake::client(std::move(c), trust, host, port, 5s, into(client));
    EXPECT_FALSE(client || server) << "called from inside";
    EXPECT_TRUE(run_until([&] { return client && server; }));
    Ends ends;
    take(client, ends.client, ends.client_error);
    take(server, ends.server, ends.server_error);
    return ends;
  }
  static void take(std::optional<Outcome>& outcome, std::unique_ptr<Connection>& connection,
                   ConnectError& error) {
    if (!outcome) return;
    if (auto* made = std::get_if<0>(&*outcome)) connection = std::move(*made);
    if (auto* failed = std::get_if<1>(&*outcome)) error = *failed;
  }
  // One byte from server to client, which brings the tickets too.
  void greet(Ends& ends) {
    ASSERT_TRUE(ends.client && ends.server)
        << ends.client_error.message << ends.server_error.message;
    std::byte sent{'x'}, got{};
    bool arrived = false;
    ends.server->write({asio::buffer(&sent, 1)}, [](auto& e, auto) { EXPECT_FALSE(e); });
    ends.client->read_some({&got, 1}, [&](auto& e, auto n) {
      EXPECT_FALSE(e) << e.message();
      arrived = n == 1 && got == sent;
    });
    EXPECT_TRUE(run_until([&] { return arrived; }));
  }
  void expect_refused(const std::shared_ptr<Trust>& trust,
                      const std::shared_ptr<Identity>& identity,
                      std::initializer_list<std::string> words,
                      const std::string& host = "a.example") {
    const Ends ends = connect(trust, identity, host);
    EXPECT_FALSE(ends.client);
    EXPECT_TRUE(ends.client_error.permanent);
    for (const auto& word : words) {
      EXPECT_NE(ends.client_error.message.find(word), std::string::npos)
          << word << " is not in: " << ends.client_error.message;
    }
    EXPECT_FALSE(ends.server);
    EXPECT_FALSE(ends.server_error.permanent);
    EXPECT_NE(ends.server_error.message.find("does not trust"), std::string::npos)
        << ends.server_error.message;
  }
};

struct TlsTest : testing::Test, TlsNetwork {
  qvid::TemporaryFolder folder;
  Signed root{""};
  std::shared_ptr<Identity> identity = Signed("DNS:a.example,IP:127.0.0.1", &root).identity();
  std::shared_ptr<Identity> impostor = Signed("DNS:a.example").identity();

  // Both ends of a connection, with TLS or plain.
  Ends connected(bool tls) {
    if (tls) return connect(trust_in(*identity), identity);
    auto [c, s] = sockets();
    Ends ends;
    ends.client = make_plain_connection(std::move(c));
    ends.server = make_plain_connection(std::move(s));
    return ends;
  }
};

}  // namespace paceline
