// Sessions on real loopback sockets with one event loop: every wait is bounded, nothing is left
// over.
#include "transport/session.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>
#include <vector>

#include "transport/listener.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using qvid::operator""ms;
using qvid::operator""s;
using asio::ip::tcp;

struct End {
  std::shared_ptr<Session> session;
  std::vector<MessageArrived> arrived;
  std::vector<MessageEnded> ended;
  bool established = false;
  std::optional<SessionClosed> closed;
  std::function<void(const SessionEvent&)> also;

  Session::Handler handler() {
    return [this](SessionEvent&& e) {
      EXPECT_FALSE(closed) << "an event after the last one";
      if (std::holds_alternative<SessionEstablished>(e)) established = true;
      if (auto* m = std::get_if<MessageArrived>(&e)) arrived.push_back(*m);
      if (auto* m = std::get_if<MessageEnded>(&e)) ended.push_back(*m);
      if (auto* c = std::get_if<SessionClosed>(&e)) closed = *c;
      if (also) also(e);
    };
  }
};

Message message(std::size_t size, char fill = 'x') {
  return {.importance = {}, .position = {}, .payload = Payload::copy_of(std::string(size, fill))};
}

struct SessionTest : testing::Test {
  // Runs the loop until `done`, five seconds at the most.
  template <class F>
  bool run_until(F done) {
    const auto end = std::chrono::steady_clock::now() + 5s;
    while (!done() && std::chrono::steady_clock::now() < end) {
      io.restart();
      io.run_one_for(50ms);
    }
    return done();
  }
  void listen() {
    auto opened = Listener::open(
        io, {"127.0.0.1", 0},
        [this](TcpSocket s) {
          server.session = Session::start(std::move(s), Side::kServer, config, server.handler());
        },
        [](const std::string& trouble) { ADD_FAILURE() << trouble; });
    ASSERT_TRUE(opened) << opened.error().message;
    listener = std::move(*opened);
    ASSERT_NE(listener->address().port, 0);
  }
  void connect() {
    listen();
    Dial dial(io, listener->address(), 5s, [this](qvid::Result<TcpSocket> s) {
      ASSERT_TRUE(s) << s.error().message;
      client.session = Session::start(*std::move(s), Side::kClient, config, client.handler());
    });
    ASSERT_TRUE(run_until([&] { return client.established && server.established; }));
  }
  // A plain socket that plays the peer.
  tcp::socket connect_raw() {
    tcp::socket raw(io);
    raw.connect({asio::ip::make_address("127.0.0.1"), listener->address().port});
    return raw;
  }
  void TearDown() override {
    for (End* end : {&client, &server}) {
      end->also = nullptr;
      if (end->session) end->session->close();
      end->session.reset();
    }
    listener.reset();
    EXPECT_TRUE(run_until([] { return Session::alive() == 0; })) << Session::alive() << " left";
  }
  asio::io_context io{1};
  SessionConfig config;
  End client, server;
  std::unique_ptr<Listener> listener;
};

TEST_F(SessionTest, ExchangesMessagesAndCloses) {
  connect();
  EXPECT_NE(client.session->peer().find("127.0.0.1:"), std::string::npos);
  for (const std::size_t size : {0u, 1u, 1000u, 70'000u, 3'000'000u}) {
    ASSERT_TRUE(client.session->send(kFirstStream, message(size, 'c')));
    ASSERT_TRUE(server.session->send(kFirstStream, message(size, 's')));
  }
  ASSERT_TRUE(run_until([&] { return client.ended.size() == 5 && server.ended.size() == 5; }));
  ASSERT_EQ(server.arrived.size(), 5u);
  ASSERT_EQ(client.arrived.size(), 5u);
  for (const auto& m : server.arrived) {
    EXPECT_EQ(m.payload.text(), std::string(m.payload.size(), 'c'));
  }
  for (const auto& m : client.ended) EXPECT_EQ(m.outcome, Outcome::kDelivered);
  EXPECT_GT(client.session->signals().rtt, Duration::zero());
  client.session->close("bye");
  ASSERT_TRUE(run_until([&] { return client.closed && server.closed; }));
  EXPECT_EQ(client.closed->reason, CloseReason::kLocal);
  EXPECT_EQ(server.closed->reason, CloseReason::kPeer);
  EXPECT_EQ(server.closed->detail, "bye");
  EXPECT_FALSE(client.session->send(kFirstStream, message(1)));
  EXPECT_FALSE(client.session->cancel(MessageId(0)));
}

TEST_F(SessionTest, CloseFromTheHandlerTellsThePeerWhy) {
  connect();
  client.also = [&](const SessionEvent& e) {
    if (std::holds_alternative<MessageEnded>(e)) client.session->close("said enough");
  };
  ASSERT_TRUE(client.session->send(kFirstStream, message(10)));
  ASSERT_TRUE(run_until([&] { return client.closed && server.closed; }));
  EXPECT_EQ(server.closed->reason, CloseReason::kPeer);
  EXPECT_EQ(server.closed->detail, "said enough");
}

// A close while the other end sends at full speed: its reason still comes through.
TEST_F(SessionTest, CloseReachesAPeerThatIsSending) {
  connect();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.session->send(kFirstStream, message(1'000'000)));
  ASSERT_TRUE(run_until([&] { return server.arrived.size() >= 2; }));
  server.session->close("enough");
  ASSERT_TRUE(run_until([&] { return client.closed && server.closed; }));
  EXPECT_EQ(client.closed->reason, CloseReason::kPeer);
  EXPECT_EQ(client.closed->detail, "enough");
}

TEST_F(SessionTest, KilledPeerIsNoticed) {
  listen();
  tcp::socket raw = connect_raw();
  std::vector<std::byte> hello;
  write_preamble(hello);
  write_record(Hello{}, hello);
  asio::write(raw, asio::buffer(hello));
  ASSERT_TRUE(run_until([&] { return server.established; }));
  ASSERT_TRUE(server.session->send(kFirstStream, message(10)));
  raw.set_option(asio::socket_base::linger(true, 0));  // reset, as by a dying host
  raw.close();
  ASSERT_TRUE(run_until([&] { return server.closed.has_value(); }));
  EXPECT_EQ(server.closed->reason, CloseReason::kConnectionLost);
  ASSERT_EQ(server.ended.size(), 1u);
  EXPECT_EQ(server.ended[0].outcome, Outcome::kLost);
}

TEST_F(SessionTest, GarbageEndsThatSessionOnly) {
  connect();
  auto good = std::exchange(server.session, nullptr);
  End bad;
  listener.reset();
  auto again = Listener::open(
      io, {"127.0.0.1", 0},
      [&](TcpSocket s) {
        bad.session = Session::start(std::move(s), Side::kServer, config, bad.handler());
      },
      [](const std::string&) {});
  ASSERT_TRUE(again);
  listener = std::move(*again);
  tcp::socket raw = connect_raw();
  asio::write(raw, asio::buffer(std::string("GET / HTTP/1.1\r\n\r\n")));
  ASSERT_TRUE(run_until([&] { return bad.closed.has_value(); }));
  EXPECT_EQ(bad.closed->reason, CloseReason::kNotPaceline);
  bad.session.reset();
  ASSERT_TRUE(client.session->send(kFirstStream, message(10)));
  ASSERT_TRUE(run_until([&] { return client.ended.size() == 1; }));
  server.session = good;
}

TEST_F(SessionTest, DialToAClosedPortFails) {
  listen();
  const Address address = listener->address();
  listener.reset();
  std::string error;
  Dial dial(io, address, 5s, [&](qvid::Result<TcpSocket> s) {
    ASSERT_FALSE(s);
    error = s.error().message;
  });
  ASSERT_TRUE(run_until([&] { return !error.empty(); }));
  EXPECT_NE(error.find(address.text()), std::string::npos) << error;
}

TEST_F(SessionTest, DestroyedDialDoesNotCallBack) {
  listen();
  bool called = false;
  {
    Dial dial(io, listener->address(), 5s, [&](qvid::Result<TcpSocket>) { called = true; });
  }
  std::optional<Dial> second;
  second.emplace(io, listener->address(), 5s, [&](qvid::Result<TcpSocket>) { called = true; });
  io.run_one_for(100ms);  // the name is resolved
  second.reset();
  run_until([until = std::chrono::steady_clock::now() + 100ms] {
    return std::chrono::steady_clock::now() > until;
  });
  EXPECT_FALSE(called);
}

TEST_F(SessionTest, PortInUseIsAnErrorThatSaysWhatToDo) {
  listen();
  const auto second = Listener::open(
      io, listener->address(), [](TcpSocket) {}, [](auto&) {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("choose another port"), std::string::npos);
}

// Two connections wait; the listener goes while the second's completion is on the queue.
TEST_F(SessionTest, ListenerMayGoWhileConnectionsWait) {
  int accepted = 0;
  auto opened = Listener::open(
      io, {"127.0.0.1", 0},
      [&](TcpSocket) {
        if (++accepted == 1) asio::post(io, [&] { listener.reset(); });
      },
      [](const std::string&) {});
  ASSERT_TRUE(opened);
  listener = std::move(*opened);
  tcp::socket first = connect_raw();
  tcp::socket second = connect_raw();
  ASSERT_TRUE(run_until([&] { return !listener; }));
  io.run_for(50ms);
  EXPECT_EQ(accepted, 1);
}

TEST_F(SessionTest, ListenerMayGoFromItsOwnCallback) {
  auto opened = Listener::open(
      io, {"127.0.0.1", 0}, [&](TcpSocket) { listener.reset(); }, [](const std::string&) {});
  ASSERT_TRUE(opened);
  listener = std::move(*opened);
  tcp::socket raw = connect_raw();
  EXPECT_TRUE(run_until([&] { return !listener; }));
}

TEST(ParseAddress, Table) {
  struct Case {
    std::string text;
    std::string host;  // empty: refused
    int port;
  };
  const Case cases[] = {
      {"localhost", "localhost", 4433},
      {"localhost:1", "localhost", 1},
      {"10.0.0.1:65535", "10.0.0.1", 65535},
      {"[::1]", "::1", 4433},
      {"[::1]:80", "::1", 80},
      {"h:0", "h", 0},
      {"", "", 0},
      {":80", "", 0},
      {"h:", "", 0},
      {"h:65536", "", 0},
      {"h:-1", "", 0},
      {"h:+1", "", 0},
      {"h: 1", "", 0},
      {"h:1 ", "", 0},
      {"h:1:2", "", 0},
      {"::1", "", 0},
      {"[::1", "", 0},
      {"[]:80", "", 0},
      {"[::1]80", "", 0},
      {"[::1]:", "", 0},
      {"a b:1", "", 0},
      {"[[80]", "", 0},
      {"[a]b]:1", "", 0},
      {"a]:1", "", 0},
      {std::string("a\0b:1", 5), "", 0},
      {std::string(254, 'a'), "", 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto address = parse_address(c.text, 4433);
    ASSERT_EQ(bool(address), !c.host.empty());
    if (!address) {
      EXPECT_FALSE(address.error().message.empty());
      continue;
    }
    EXPECT_EQ(address->host, c.host);
    EXPECT_EQ(address->port, c.port);
    const auto again = parse_address(address->text(), 1);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->text(), address->text());
  }
}

}  // namespace
}  // namespace paceline
