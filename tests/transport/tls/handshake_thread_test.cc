// Handshakes on a thread of their own: they go on while the server's own is busy, and who is given up
// is not heard of.
#include "transport/tls/handshake_thread.h"

#include <gtest/gtest.h>

#include <boost/asio/write.hpp>
#include <string>
#include <vector>

#include "tests/transport/tls_network.h"
#include "transport/session/host.h"

namespace paceline {
namespace {

using qvid::operator""ms;

struct HandshakeThreadTest : TlsTest {
  // Connected, the first end of `client`.
  std::pair<TcpSocket, TcpSocket> sockets_of(EventLoop& client) {
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    TcpSocket near(client.io);
    near.connect(acceptor.local_endpoint());
    return {std::move(near), acceptor.accept()};
  }
  auto secure(TcpSocket socket, std::optional<Outcome>& outcome) {
    return thread->server(std::move(socket), identity, 5s, into(outcome), "a client");
  }

  std::optional<HandshakeThread> thread{std::in_place, io};
};

TEST_F(HandshakeThreadTest, SecuresWhileHomeIsBusy) {
  EventLoop away;
  auto [near, far] = sockets_of(away);
  std::optional<Outcome> client, server;
  const auto under_way = secure(std::move(far), server);
  const auto at_client =
      Handshake::client(std::move(near), trust_in(*identity), "a.example", 1, 5s, into(client));
  // Home does nothing meanwhile.
  ASSERT_TRUE(away.run_until([&] { return client.has_value(); }));
  EXPECT_FALSE(server) << "called from another thread";
  ASSERT_TRUE(run_until([&] { return server.has_value(); }));
  Ends ends;
  take(client, ends.client, ends.client_error);
  take(server, ends.server, ends.server_error);
  ASSERT_TRUE(ends.client && ends.server) << ends.server_error.message;
  EXPECT_EQ(ends.server->peer(), "a client");
  // The connection is home's.
  std::byte got{};
  bool arrived = false;
  ends.server->read_some({&got, 1}, [&](const auto& error, std::size_t) { arrived = !error; });
  const std::byte sent{'x'};
  ends.client->write({asio::buffer(&sent, 1)}, [](const auto&, std::size_t) {});
  away.io.restart();
  away.io.poll();
  EXPECT_TRUE(run_until([&] { return arrived; }));
  EXPECT_EQ(got, sent);
}

TEST_F(HandshakeThreadTest, AHostSecuresWhileItsThreadIsBusy) {
  auto opened = Host::open(
      io, {.listen = {.host = "127.0.0.1", .port = 0}, .identity = identity, .session = {}},
      [](const auto&) { return [](SessionEvent&&) {}; }, [](const std::string&) {});
  ASSERT_TRUE(opened) << opened.error().message;
  const auto host = *std::move(opened);
  EventLoop away;
  TcpSocket near(away.io);
  near.connect({asio::ip::address_v4::loopback(), host->address().port});
  ASSERT_TRUE(run_until([&] { return host->stats().sockets == 1; }));
  std::optional<Outcome> client;
  const auto at_client =
      Handshake::client(std::move(near), trust_in(*identity), "a.example", 1, 5s, into(client));
  ASSERT_TRUE(away.run_until([&] { return client.has_value(); }));
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Connection>>(*client));
}

TEST_F(HandshakeThreadTest, TellsWhatWentWrong) {
  auto [near, far] = sockets();
  std::optional<Outcome> server;
  const auto under_way = secure(std::move(far), server);
  asio::write(near, asio::buffer(std::string("SSH-2.0-OpenSSH\r\n")));
  ASSERT_TRUE(run_until([&] { return server.has_value(); }));
  ASSERT_TRUE(std::holds_alternative<ConnectError>(*server));
  EXPECT_EQ(std::get<ConnectError>(*server).message, "the client at a client does not speak TLS");
}

TEST_F(HandshakeThreadTest, WhoIsGivenUpIsClosedAndNotHeardOf) {
  std::vector<TcpSocket> clients;
  for (int i = 0; i < 200; ++i) {
    auto [near, far] = sockets();
    std::optional<Outcome> server;
    auto under_way = secure(std::move(far), server);
    // In time or not: at the latest while it waits for what the client never says.
    under_way.reset();
    EXPECT_FALSE(server);
    clients.push_back(std::move(near));
  }
  for (TcpSocket& client : clients) {
    std::byte byte{};
    bool ended = false;
    client.async_read_some(asio::buffer(&byte, 1),
                           [&](const auto& error, std::size_t) { ended = error.failed(); });
    ASSERT_TRUE(run_until([&] { return ended; }));
  }
}

TEST_F(HandshakeThreadTest, MayEndInTheMiddle) {
  std::vector<std::unique_ptr<HandshakeThread::UnderWay>> under_way;
  std::vector<TcpSocket> clients;
  for (int i = 0; i < 50; ++i) {
    auto [near, far] = sockets();
    asio::write(near, asio::buffer(std::string(1, char{22})));  // of a ClientHello
    under_way.push_back(thread->server(
        std::move(far), identity, 5s, [](auto) { ADD_FAILURE() << "told of nothing"; }, ""));
    clients.push_back(std::move(near));
  }
  under_way.clear();
  thread.reset();
  io.poll();
}

}  // namespace
}  // namespace paceline
