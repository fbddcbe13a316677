// Datagrams over loopback, as the kernel cuts them apart and puts them together, and where it does not.
#include "transport/socket/datagram_socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/transport/event_loop.h"

namespace paceline {
namespace {

using Bytes = std::vector<std::byte>;

enum class Way { kTogether, kRefused, kCutByTheReceiver };

struct End {
  std::unique_ptr<DatagramSocket> socket;
  std::vector<Bytes> came;
  std::vector<PathAddress> from;
};

// Of a size of its own, and with a pattern that says which it is.
Bytes datagram_of(std::size_t size, std::size_t which) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(which * 7 + i);
  return bytes;
}

class DatagramSockets : public testing::TestWithParam<std::tuple<Way, const char*>>,
                        protected EventLoop {
 protected:
  static DatagramSocket::OnDatagram notes(End& end) {
    return [&end](const PathAddress& from, std::span<const std::byte> datagram) {
      end.came.emplace_back(datagram.begin(), datagram.end());
      end.from.push_back(from);
    };
  }
  std::unique_ptr<End> server(std::uint16_t port = 0) {
    auto end = std::make_unique<End>();
    auto socket = DatagramSocket::open(io, {host(), port}, notes(*end));
    EXPECT_TRUE(socket);
    return prepared(std::move(end), *std::move(socket));
  }
  std::unique_ptr<End> client(std::uint16_t port) {
    auto end = std::make_unique<End>();
    auto socket = DatagramSocket::connect(io, {host(), port}, notes(*end));
    EXPECT_TRUE(socket);
    return prepared(std::move(end), *std::move(socket));
  }
  static std::uint16_t port_of(End& end) {
    sockaddr_in6 address{};  // the port is where that of IPv4 is
    socklen_t size = sizeof address;
    getsockname(end.socket->native_handle(), reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin6_port);
  }
  // As a session sends them.
  static void send(DatagramSocket& socket, const PathAddress& to,
                   const std::vector<Bytes>& datagrams) {
    DatagramBatch batch;
    for (const Bytes& datagram : datagrams) {
      if (batch.add(to, datagram)) continue;
      socket.send(batch);
      batch.clear();
      EXPECT_TRUE(batch.add(to, datagram));
    }
    socket.send(batch);
  }
  static std::vector<Bytes> datagrams_of(const std::vector<std::size_t>& sizes) {
    std::vector<Bytes> all;
    for (const std::size_t size : sizes) all.push_back(datagram_of(size, all.size()));
    return all;
  }
  void wait_for(const End& end, std::size_t count) {
    EXPECT_TRUE(run_until([&] { return end.came.size() >= count; }));
  }
  static const char* host() { return std::get<1>(GetParam()); }

 private:
  static std::unique_ptr<End> prepared(std::unique_ptr<End> end,
                                       std::unique_ptr<DatagramSocket> socket) {
    end->socket = std::move(socket);
    const int fd = end->socket->native_handle();
    const int on = 1;
    const int off = 0;
    // Without checksums the kernel refuses to cut apart.
    if (std::get<0>(GetParam()) == Way::kRefused) {
      EXPECT_EQ(setsockopt(fd, SOL_SOCKET, SO_NO_CHECK, &on, sizeof on), 0);
    }
    if (std::get<0>(GetParam()) == Way::kCutByTheReceiver) {
      EXPECT_EQ(setsockopt(fd, IPPROTO_UDP, UDP_GRO, &off, sizeof off), 0);
    }
    return end;
  }
};

TEST_P(DatagramSockets, ABatchArrivesWholeInOrderAndAgain) {
  const auto server = this->server();
  const auto client = this->client(port_of(*server));
  std::vector<std::size_t> sizes(40, 1200);
  sizes.push_back(300);
  const auto sent = datagrams_of(sizes);
  for (int i = 0; i < 2; ++i) {
    send(*client->socket, client->socket->peer(), sent);
    wait_for(*server, sent.size());
    EXPECT_EQ(server->came, sent);
    server->came.clear();
  }
  EXPECT_EQ(client->socket->sends_together(), std::get<0>(GetParam()) != Way::kRefused);
}

TEST_P(DatagramSockets, AnAddressThatIsNoneKeepsNobodyElseFromBatches) {
  const auto server = this->server();
  const auto client = this->client(port_of(*server));
  send(*client->socket, client->socket->peer(), datagrams_of({50}));
  wait_for(*server, 1);
  PathAddress nowhere = server->from[0];
  nowhere.port = 0;
  send(*server->socket, nowhere, datagrams_of({900, 900}));
  EXPECT_TRUE(server->socket->sends_together());
}

TEST_P(DatagramSockets, EachHasItsOwnSize) {
  const auto server = this->server();
  const auto client = this->client(port_of(*server));
  const auto sent = datagrams_of({1452, 1452, 100,  100,  40,   1452, 1,  1200, 1201, 1200,
                                  1200, 1452, 1452, 1452, 1452, 29,   64, 64,   64,   64});
  send(*client->socket, client->socket->peer(), sent);
  wait_for(*server, sent.size());
  EXPECT_EQ(server->came, sent);
}

TEST_P(DatagramSockets, AServerSendsToSeveral) {
  const auto server = this->server();
  const auto a = client(port_of(*server));
  const auto b = client(port_of(*server));
  const auto hello = datagrams_of({50});
  send(*a->socket, a->socket->peer(), hello);
  send(*b->socket, b->socket->peer(), hello);
  wait_for(*server, 2);
  ASSERT_EQ(server->from.size(), 2u);
  const auto sent = datagrams_of({900, 900, 900, 700});
  for (const PathAddress& to : {server->from[0], server->from[1]}) {
    send(*server->socket, to, sent);
  }
  wait_for(*a, sent.size());
  wait_for(*b, sent.size());
  EXPECT_EQ(a->came, sent);
  EXPECT_EQ(b->came, sent);
}

TEST_P(DatagramSockets, SendsFromAnyThread) {
  constexpr std::size_t kBatches = 5;
  const auto server = this->server();
  const auto client = this->client(port_of(*server));
  const auto sent = datagrams_of({500, 500, 500, 200});
  const auto work = [&] {
    for (std::size_t i = 0; i < kBatches; ++i) send(*client->socket, client->socket->peer(), sent);
  };
  std::thread one(work);
  std::thread other(work);
  wait_for(*server, 2 * kBatches * sent.size());
  one.join();
  other.join();
  EXPECT_EQ(server->came.size(), 2 * kBatches * sent.size());
  for (const Bytes& bytes : server->came) EXPECT_NE(std::ranges::find(sent, bytes), sent.end());
}

TEST_P(DatagramSockets, EmptyOnesDoNotKeepItFromTheOthers) {
  const auto server = this->server();
  const auto client = this->client(port_of(*server));
  const int fd = client->socket->native_handle();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(::send(fd, "", 0, 0), 0);
  const auto sent = datagrams_of({100, 100});
  send(*client->socket, client->socket->peer(), sent);
  wait_for(*server, 5);
  EXPECT_EQ(std::vector(server->came.end() - 2, server->came.end()), sent);
}

// The answer to the first (ICMP) is told at the call that sends the second.
TEST_P(DatagramSockets, WhatAnUnreachablePortAnsweredTakesNothingAlong) {
  auto server = this->server();
  const std::uint16_t port = port_of(*server);
  const auto client = this->client(port);
  server.reset();
  send(*client->socket, client->socket->peer(), datagrams_of({10}));
  server = this->server(port);
  const auto sent = datagrams_of({1200, 1200, 1200, 5});
  send(*client->socket, client->socket->peer(), sent);
  wait_for(*server, sent.size());
  EXPECT_EQ(server->came, sent);
}

TEST_P(DatagramSockets, WhatIsTooLargeIsLeftAside) {
  const auto server = this->server();
  const auto client = this->client(port_of(*server));
  const auto sent = datagrams_of({100, 3000, 3000, 200});
  send(*client->socket, client->socket->peer(), sent);
  wait_for(*server, 2);
  EXPECT_EQ(server->came, std::vector({sent[0], sent[3]}));
}

INSTANTIATE_TEST_SUITE_P(Ways, DatagramSockets,
                         testing::Values(std::tuple(Way::kTogether, "127.0.0.1"),
                                         std::tuple(Way::kTogether, "::1"),
                                         std::tuple(Way::kRefused, "127.0.0.1"),
                                         std::tuple(Way::kCutByTheReceiver, "127.0.0.1"),
                                         std::tuple(Way::kCutByTheReceiver, "::1")));

}  // namespace
}  // namespace paceline
