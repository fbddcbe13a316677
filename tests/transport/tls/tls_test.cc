// Shows what a connection carries, and how it ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <random>

#include "tests/transport/tls_network.h"

namespace paceline::tls_test {
namespace {

using boost::system::error_code;

TEST_F(TlsTest, ConnectsWithTls13) {
  Ends ends = connect(trust_in(*identity), identity);
  greet(ends);
  EXPECT_TRUE(ends.client->security().starts_with("TLSv1.3 TLS_")) << ends.client->security();
  EXPECT_EQ(ends.client->security(), ends.server->security());
  EXPECT_TRUE(ends.client->peer().starts_with("127.0.0.1:"));
  EXPECT_TRUE(ends.client->is_open());
  EXPECT_GE(ends.client->native_handle(), 0);
}

// Writes all of `data` in batches of small and large pieces, then ends.
struct Sender {
  Sender(Connection& to, std::uint32_t seed, std::size_t size) : connection(to), random(seed) {
    data.resize(size);
    for (auto& b : data) b = static_cast<std::byte>(random());
  }
  void go() {
    if (sent == data.size()) return connection.shut_down();
    std::vector<asio::const_buffer> buffers;
    std::size_t total = 0;
    for (auto pieces = random() % 70; pieces-- > 0;) {
      const std::size_t limit = random() % 4 == 0 ? 40'000 : 300;
      const std::size_t size = std::min<std::size_t>(random() % limit, data.size() - sent);
      buffers.emplace_back(data.data() + sent, size);
      sent += size;
      total += size;
    }
    connection.write(buffers, [this, total](const error_code& e, std::size_t n) {
      EXPECT_FALSE(e) << e.message();
      EXPECT_EQ(n, total);
      if (!e) go();
    });
  }
  Connection& connection;
  std::mt19937 random;
  std::vector<std::byte> data;
  std::size_t sent = 0;
};
struct Receiver {
  Receiver(Connection& from, std::uint32_t seed) : connection(from), random(seed) {}
  void go() {
    piece.resize(random() % 50'000 + 1);
    connection.read_some(piece, [this](const error_code& e, std::size_t n) {
      got.insert(got.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(n));
      if (e) {
        end = e;
      } else {
        EXPECT_GT(n, 0u);
        go();
      }
    });
  }
  Connection& connection;
  std::mt19937 random;
  std::vector<std::byte> piece, got;
  error_code end;
};

void exchange(TlsNetwork& test, Connection& one, Connection& other) {
  constexpr std::size_t kSize = 6'000'000;
  Sender a(one, 1, kSize), b(other, 2, kSize / 2);
  Receiver at_a(one, 3), at_b(other, 4);
  at_a.go();
  at_b.go();
  a.go();
  b.go();
  EXPECT_TRUE(test.run_until([&] { return at_a.end && at_b.end; }));
  EXPECT_EQ(at_a.end, asio::error::eof) << at_a.end.message();
  EXPECT_EQ(at_b.end, asio::error::eof) << at_b.end.message();
  EXPECT_TRUE(at_b.got == a.data);
  EXPECT_TRUE(at_a.got == b.data);
}

TEST_F(TlsTest, CarriesMuchBothWaysAtOnce) {
  Ends ends = connect(trust_in(*identity), identity);
  ASSERT_TRUE(ends.client && ends.server);
  exchange(*this, *ends.client, *ends.server);
}

TEST_F(TlsTest, PlainConnectionsCarryMuchBothWaysAtOnce) {
  auto [c, s] = sockets();
  const auto client = make_plain_connection(std::move(c));
  const auto server = make_plain_connection(std::move(s));
  EXPECT_EQ(client->security(), "none");
  EXPECT_TRUE(server->peer().starts_with("127.0.0.1:"));
  exchange(*this, *client, *server);
}

// The end of what is written while the end is asked for still arrives.
TEST_F(TlsTest, ShutDownWaitsForTheWriteUnderWay) {
  for (const bool tls : {true, false}) {
    Ends ends = connected(tls);
    const std::vector<std::byte> much(8'000'000);
    Receiver receiver(*ends.server, 1);
    ends.client->write({asio::buffer(much)}, [](auto& e, auto) { EXPECT_FALSE(e); });
    ends.client->shut_down();
    ends.client->shut_down();
    receiver.go();
    EXPECT_TRUE(run_until([&] { return !!receiver.end; }));
    EXPECT_EQ(receiver.end, asio::error::eof);
    EXPECT_EQ(receiver.got.size(), much.size());
  }
}

TEST_F(TlsTest, WhatTheSocketTakesAtOnceNeedsNoTurnOfTheLoop) {
  for (const bool tls : {true, false}) {
    Ends ends = connected(tls);
    Receiver receiver(*ends.server, 1);
    std::vector<std::byte> little(3'000, std::byte{1});
    const auto never = [](auto&, auto) { ADD_FAILURE() << "called"; };
    EXPECT_TRUE(ends.client->write_now({asio::buffer(little)}, never));
    little.assign(little.size(), std::byte{2});  // no longer needed
    // More than any socket takes; and the buffers are many.
    std::vector<std::byte> much(16'000'000, std::byte{3});
    std::vector<asio::const_buffer> pieces;
    for (std::size_t at = 0; at < much.size(); at += 100'000) {
      pieces.push_back(asio::buffer(much.data() + at, 100'000));
    }
    bool written = false;
    EXPECT_FALSE(ends.client->write_now(pieces, [&](auto& e, auto) { written = !e; }));
    EXPECT_FALSE(written) << "called from inside";
    receiver.go();
    EXPECT_TRUE(run_until([&] { return written; }));
    ends.client->shut_down();
    EXPECT_TRUE(run_until([&] { return !!receiver.end; }));
    EXPECT_EQ(receiver.end, asio::error::eof);
    std::vector<std::byte> all(3'000, std::byte{1});
    all.insert(all.end(), much.begin(), much.end());
    EXPECT_TRUE(receiver.got == all);
  }
}

TEST_F(TlsTest, NothingAtAllIsWrittenAtOnce) {
  Ends ends = connect(trust_in(*identity), identity);
  greet(ends);
  bool written = false;
  ends.client->write({}, [&](auto& e, auto n) { written = !e && n == 0; });
  EXPECT_FALSE(written);
  EXPECT_TRUE(run_until([&] { return written; }));
}

TEST_F(TlsTest, ACutConnectionIsItsEnd) {
  Ends ends = connect(trust_in(*identity), identity);
  greet(ends);
  Receiver receiver(*ends.client, 1);
  receiver.go();
  ends.server->close(false);
  EXPECT_TRUE(run_until([&] { return !!receiver.end; }));
  EXPECT_EQ(receiver.end, asio::error::eof) << receiver.end.message();
}

TEST_F(TlsTest, AbortResetsThePeer) {
  for (const bool tls : {true, false}) {
    Ends ends = connected(tls);
    if (tls) greet(ends);
    Receiver receiver(*ends.client, 1);
    receiver.go();
    ends.server->close(true);
    EXPECT_FALSE(ends.server->is_open());
    EXPECT_TRUE(run_until([&] { return !!receiver.end; }));
    EXPECT_EQ(receiver.end, asio::error::connection_reset) << receiver.end.message();
  }
}

TEST_F(TlsTest, AForgedRecordEndsIt) {
  auto [c, s] = sockets();
  std::optional<Outcome> client, server;
  const auto at_server = Handshake::server(std::move(s), identity, 5s, into(server));
  const int raw = ::dup(c.native_handle());
  const auto at_client =
      Handshake::client(std::move(c), trust_in(*identity), "a.example", 1, 5s, into(client));
  ASSERT_TRUE(run_until([&] { return client && server; }));
  Receiver receiver(*std::get<0>(*server), 1);
  receiver.go();
  const std::string forged = std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x');
  EXPECT_EQ(::write(raw, forged.data(), forged.size()), 37);
  ::close(raw);
  EXPECT_TRUE(run_until([&] { return !!receiver.end; }));
  EXPECT_NE(receiver.end, asio::error::eof);
  EXPECT_FALSE(receiver.end.message().empty());
}

// --- no handler after the end

TEST_F(TlsTest, NoHandlerIsCalledAfterCloseOrDestruction) {
  for (const bool tls : {true, false}) {
    for (const bool destroy : {true, false}) {
      for (const bool complete : {true, false}) {  // have completions on the queue already
        Ends ends = connected(tls);
        if (tls) greet(ends);
        const auto never = [](const error_code&, std::size_t) { ADD_FAILURE() << "called"; };
        auto into_this = std::make_unique<std::vector<std::byte>>(100);
        auto from_this = std::make_unique<std::vector<std::byte>>(complete ? 100 : 16'000'000);
        if (complete) {
          ends.server->write({asio::buffer(*from_this)}, [](auto&, auto) {});
          drain();
        }
        ends.client->read_some(*into_this, never);
        ends.client->write({asio::buffer(*from_this)}, never);
        if (destroy) {
          ends.client.reset();
        } else {
          ends.client->close(false);
          ends.client->close(true);
          ends.client->shut_down();
          EXPECT_FALSE(ends.client->is_open());
        }
        into_this.reset();
        from_this.reset();
        if (ends.client) {
          std::byte one{};
          ends.client->read_some({&one, 1}, never);
          ends.client->write({asio::buffer(&one, 1)}, never);
        }
        drain();
      }
    }
  }
}

TEST_F(TlsTest, AHandlerMayDestroyItsConnection) {
  Ends ends = connect(trust_in(*identity), identity);
  greet(ends);
  std::byte one{};
  bool called = false;
  ends.client->read_some({&one, 1}, [&](auto&, auto) {
    ends.client.reset();
    called = true;
  });
  ends.server->write({asio::buffer(&one, 1)}, [&](auto&, auto) { ends.server.reset(); });
  EXPECT_TRUE(run_until([&] { return called && !ends.server; }));
}

TEST_F(TlsTest, AHandshakeThatIsGivenUpCallsNobody) {
  const auto never = [](Outcome) { ADD_FAILURE() << "called"; };
  const auto trust = trust_in(*identity);
  for (int turns = 0; turns < 4; ++turns) {  // given up at every stage but the last
    auto [c, s] = sockets();
    const auto server = Handshake::server(std::move(s), identity, 5s, [](Outcome) {});
    std::optional<Handshake> client =
        Handshake::client(std::move(c), trust, "a.example", 1, 5s, never);
    for (int i = 0; i < turns; ++i) {
      io.restart();
      io.run_one_for(5s);
    }
    client.reset();
    drain();
  }
  auto [c, s] = sockets();
  Handshake one = Handshake::server(std::move(s), identity, 5s, never);
  one = Handshake::client(std::move(c), trust, "a.example", 1, 5s, never);
  Handshake other = std::move(one);
}

// The loop ends with reads under way whose handlers own the connection: nothing leaks.
TEST_F(TlsTest, TheLoopMayBeDestroyedFirst) {
  TlsNetwork other;
  Ends ends = other.connect(trust_in(*identity), identity);
  ASSERT_TRUE(ends.client && ends.server);
  auto [c, s] = other.sockets();
  for (auto& connection : {&ends.client, &ends.server}) {
    auto owned = std::make_shared<std::unique_ptr<Connection>>(std::move(*connection));
    auto byte = std::make_shared<std::byte>();
    (*owned)->read_some({byte.get(), 1}, [owned, byte](auto&, auto) { ADD_FAILURE(); });
  }
  auto plain = std::make_shared<std::unique_ptr<Connection>>(make_plain_connection(std::move(c)));
  auto byte = std::make_shared<std::byte>();
  (*plain)->read_some({byte.get(), 1}, [plain, byte](auto&, auto) { ADD_FAILURE(); });
}

// --- peers that do not play along

}  // namespace
}  // namespace paceline::tls_test
