// A host and strangers on real sockets: who does not greet, prove or keep to the limits is closed,
// and those who do notice nothing.
#include "transport/session/host.h"

#include <gtest/gtest.h>

#include <boost/asio/read.hpp>

#include "tests/transport/real_session.h"
#include "transport/wire/write_record.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using qvid::operator""ms;
using qvid::operator""s;

struct HostTest : RealSession {
  static std::vector<std::byte> greeting(const Record& record) {
    std::vector<std::byte> bytes;
    write_preamble(bytes);
    write_record(record, bytes);
    return bytes;
  }
  // What the host answers until it closes; the Close in it.
  std::optional<Close> answer(tcp::socket& raw) {
    std::vector<std::byte> all(64 * 1024);
    bool ended = false;
    std::size_t size = 0;
    asio::async_read(raw, asio::buffer(all), [&](const error_code& e, std::size_t n) {
      EXPECT_NE(e, error_code());
      ended = true;
      size = n;
    });
    EXPECT_TRUE(run_until([&] { return ended; })) << "the socket stays open";
    if (!ended) {
      raw.close();
      run_until([&] { return ended; });
    }
    all.resize(size);
    RecordParser parser;
    parser.feed(all);
    std::optional<Close> close;
    for (;;) {
      const auto step = parser.next();
      const auto* record = std::get_if<Record>(&step);
      if (record == nullptr) return close;
      if (const auto* c = std::get_if<Close>(record)) close = *c;
    }
  }
  std::optional<Close> answer_to(const std::vector<std::byte>& bytes) {
    tcp::socket raw = connect_raw();
    asio::write(raw, asio::buffer(bytes));
    return answer(raw);
  }
  void expect_client_well() {
    const std::size_t before = client.ended.size();
    ASSERT_TRUE(client.session->send(kFirstStream, text(10'000)));
    ASSERT_TRUE(run_until([&] { return client.ended.size() == before + 1; }));
    EXPECT_EQ(client.ended.back().outcome, Outcome::kDelivered);
    EXPECT_EQ(client.interrupted, 0);
  }
};

TEST_F(HostTest, GarbageIsToldWhyAndClosed) {
  connect();
  const std::string other = "SSH-2.0-OpenSSH\r\n";
  const auto bytes = std::as_bytes(std::span(other));
  const auto close = answer_to({bytes.begin(), bytes.end()});
  ASSERT_TRUE(close);
  EXPECT_EQ(close->reason, CloseReason::kNotPaceline);
  auto old = greeting(Hello{});
  old[8] = std::byte{1};
  EXPECT_EQ(answer_to(old)->reason, CloseReason::kVersion);
  EXPECT_EQ(answer_to(greeting(Ping{}))->reason, CloseReason::kProtocolError);
  EXPECT_TRUE(run_until([&] { return host->stats().turned_away(TurnedAway::kGreeting) == 3; }));
  EXPECT_EQ(host->stats().turned_away(), 3u);
  EXPECT_EQ(host->stats().sessions, 1u);
  expect_client_well();
}

TEST_F(HostTest, VisitorsByHttpGetAPageAndNoMore) {
  options.page = [](std::string_view path, const Address& from) {
    EXPECT_EQ(from.host, "127.0.0.1");
    return path == "/health" ? HttpPage{.status = 200, .text = "ok\n"} : HttpPage();
  };
  connect();
  const auto visit = [&](const std::string& request) {
    tcp::socket raw = connect_raw();
    asio::write(raw, asio::buffer(request));
    std::string all;
    bool ended = false;
    asio::async_read(raw, asio::dynamic_buffer(all),
                     [&](const error_code&, std::size_t) { ended = true; });
    EXPECT_TRUE(run_until([&] { return ended; })) << "the socket stays open";
    return all;
  };
  EXPECT_TRUE(visit("GET /health HTTP/1.1\r\n\r\n").ends_with("\r\n\r\nok\n"));
  EXPECT_TRUE(visit("HEAD /health HTTP/1.1\r\n\r\n").ends_with("\r\n\r\n"));
  const std::string nothing = visit("GET / HTTP/1.1\r\nCookie: x\r\n\r\n");
  EXPECT_TRUE(nothing.starts_with("HTTP/1.1 404 ")) << nothing;
  EXPECT_NE(nothing.find("This is a Qvid server"), std::string::npos) << nothing;
  EXPECT_TRUE(visit("GET nowhere\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(run_until([&] { return host->stats().turned_away(TurnedAway::kVisit) == 4; }));
  EXPECT_EQ(host->stats().sessions, 1u);
  expect_client_well();
}

TEST_F(HostTest, ForgedAndReplayedBindsAreRefused) {
  connect();
  const SessionCredentials& ours = client.session->credentials();
  Bind bind{.session = ours.session, .channel = 50, .segment = 0, .proof = {}};
  EXPECT_EQ(answer_to(greeting(bind))->reason, CloseReason::kUnknownSession);
  bind.proof = bind_proof(ours.secret, bind);
  Bind other = bind;
  other.session[0] ^= std::byte{1};
  EXPECT_EQ(answer_to(greeting(other))->reason, CloseReason::kUnknownSession);
  bind.channel = 1;  // used by the client
  bind.proof = bind_proof(ours.secret, bind);
  EXPECT_EQ(answer_to(greeting(bind))->reason, CloseReason::kRefused);
  EXPECT_TRUE(run_until([&] { return host->stats().turned_away(TurnedAway::kSession) == 3; }));
  EXPECT_TRUE(settled());
  expect_client_well();
}

TEST_F(HostTest, WhoDoesNotGreetGivesWayToNewcomers) {
  options.greeting.each = 4;
  options.greeting.undisturbed = {};
  connect();
  std::vector<tcp::socket> sockets;
  for (int i = 0; i < 20; ++i) sockets.push_back(connect_raw());
  ASSERT_TRUE(run_until([&] { return host->stats().sockets == 23; }));
  EXPECT_EQ(host->stats().turned_away(TurnedAway::kPlace), 16u);
  EXPECT_EQ(host->stats().turned_away(), 16u);
  EXPECT_EQ(host->stats().greeting, 4u);
  EXPECT_EQ(host->stats().greeting_places, options.greeting.all);
  for (int i = 0; i < 16; ++i) EXPECT_FALSE(answer(sockets[static_cast<std::size_t>(i)])) << i;
  // Who greets is heard, however many only wait.
  EXPECT_TRUE(answer_to(greeting(Ping{})));
  expect_client_well();
}

TEST_F(HostTest, SessionsAreResumedWhileStrangersFillThePlaces) {
  options.greeting = {.all = 4, .each = 4, .kept = 1, .undisturbed = {}};
  connect();
  std::vector<tcp::socket> strangers;
  for (std::uint32_t i = 0; i < 10; ++i) {
    tcp::socket& stranger = strangers.emplace_back(io);
    stranger.open(tcp::v4());
    stranger.bind({asio::ip::address_v4(0x7f000002 + i), 0});
    stranger.connect({asio::ip::address_v4::loopback(), host->address().port});
  }
  ASSERT_TRUE(run_until([&] { return host->stats().sockets == 13; }));
  EXPECT_EQ(host->stats().turned_away(), 7u);
  const SessionCredentials& ours = client.session->credentials();
  Bind bind{.session = ours.session, .channel = 50, .segment = 0, .proof = {}};
  bind.proof = bind_proof(ours.secret, bind);
  tcp::socket raw = connect_raw();
  asio::write(raw, asio::buffer(greeting(bind)));
  std::byte byte{};
  bool answered = false;
  raw.async_read_some(asio::buffer(&byte, 1),
                      [&](const error_code& error, std::size_t) { answered = !error; });
  EXPECT_TRUE(run_until([&] { return answered; }));
  EXPECT_EQ(host->stats().turned_away(), 7u);
  expect_client_well();
}

TEST_F(HostTest, SilenceIsClosedInTime) {
  config.greeting_timeout = 100ms;
  listen();
  tcp::socket silent = connect_raw();
  tcp::socket slow = connect_raw();
  asio::write(slow, asio::buffer(std::string("PACELINE")));
  for (tcp::socket* raw : {&silent, &slow}) {
    const auto close = answer(*raw);
    ASSERT_TRUE(close);
    EXPECT_EQ(close->reason, CloseReason::kTimeout);
  }
  EXPECT_TRUE(run_until([&] { return host->stats().turned_away(TurnedAway::kSilent) == 2; }));
}

TEST_F(HostTest, EndlessGreetingIsRefused) {
  listen();
  auto bytes = greeting(Ping{});
  bytes.resize(kPreambleSize);
  for (const int b : {0x01, 0x80, 0, 0xff, 0xff}) bytes.push_back(static_cast<std::byte>(b));
  bytes.resize(10'000);
  const auto close = answer_to(bytes);
  ASSERT_TRUE(close);
  EXPECT_EQ(close->reason, CloseReason::kProtocolError);
}

TEST_F(HostTest, SessionsBeyondTheLimitAreRefused) {
  options.max_sessions = 1;
  connect();
  EXPECT_EQ(answer_to(greeting(Hello{}))->reason, CloseReason::kRefused);
  client.session->close();
  ASSERT_TRUE(run_until([&] { return host->sessions() == 0; }));
  End second;
  accepting = &second;
  tcp::socket raw = connect_raw();
  asio::write(raw, asio::buffer(greeting(Hello{})));
  EXPECT_TRUE(run_until([&] { return second.established; }));
  second.session->close();
  EXPECT_TRUE(run_until([&] { return second.closed.has_value(); }));
}

TEST_F(HostTest, PeerOfAMillionStreamsIsStopped) {
  config.limits.max_streams = 100;
  connect();
  End bad;
  accepting = &bad;
  auto bytes = greeting(Hello{});
  write_record(Activate{.epoch = 1}, bytes);
  for (std::uint32_t i = 0; i < 1'000'000; ++i) {
    write_chunk_header({.stream = StreamId(2 * i),
                        .first = true,
                        .last = true,
                        .importance = {},
                        .position = {},
                        .bytes = {}},
                       bytes);
  }
  tcp::socket raw = connect_raw();
  raw.non_blocking(true);
  bool written = false;
  asio::async_write(raw, asio::buffer(bytes),
                    [&](const error_code&, std::size_t) { written = true; });
  ASSERT_TRUE(run_until([&] { return bad.closed.has_value(); }));
  EXPECT_EQ(bad.closed->reason, CloseReason::kProtocolError);
  EXPECT_LE(bad.arrived.size(), 100u);
  raw.close();
  ASSERT_TRUE(run_until([&] { return written; }));
  expect_client_well();
}

TEST_F(HostTest, ClosedHostLeavesItsSessionsBe) {
  connect();
  tcp::socket waits = connect_raw();
  ASSERT_TRUE(run_until([&] { return host->stats().sockets == 4; }));
  host->close();
  EXPECT_FALSE(answer(waits));
  expect_client_well();
}

TEST_F(HostTest, MayGoBeforeItsSessions) {
  connect();
  host.reset();
  expect_client_well();
  client.session->close("bye");
  EXPECT_TRUE(run_until([&] { return client.closed && server.closed; }));
}

}  // namespace
}  // namespace paceline
