// Sessions and strangers over WebSockets, against a host on real sockets: as over TCP.
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <future>

#include "tests/temporary_folder.h"
#include "tests/transport/real_session.h"
#include "tests/transport/web_socket_relay.h"
#include "transport/tls/tls_handles.h"
#include "transport/wire/write_record.h"

namespace paceline::web_socket_host_test {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using qvid::operator""ms;

struct WebSocketHost : RealSession {
  void connect_by_web_socket() {
    listen();
    page.emplace(io, host->address());
    dial(page->address());
    ASSERT_TRUE(run_until([&] { return client.established && server.established && settled(); }));
  }
  void expect_both_ways(std::size_t size) {
    const std::size_t at_server = server.arrived.size(), at_client = client.arrived.size();
    ASSERT_TRUE(client.session->send(kFirstStream, text(size, 'u')));
    ASSERT_TRUE(server.session->send(kFirstStream, text(size, 'd')));
    ASSERT_TRUE(run_until([&] {
      return server.arrived.size() == at_server + 1 && client.arrived.size() == at_client + 1;
    }));
    EXPECT_EQ(server.arrived.back().payload.text(), std::string(size, 'u'));
    EXPECT_EQ(client.arrived.back().payload.text(), std::string(size, 'd'));
  }
  void TearDown() override {
    RealSession::TearDown();
    page.reset();
    drain();
  }

  std::optional<WebSocketRelay> page;
};

TEST_F(WebSocketHost, SessionsAreAsOverTcp) {
  ASSERT_NO_FATAL_FAILURE(connect_by_web_socket());
  EXPECT_EQ(host->stats().sockets, page->count());
  EXPECT_EQ(host->stats().sessions, 1u);
  for (const std::size_t size : {1u, 10'000u, 1'000'000u}) expect_both_ways(size);
  EXPECT_GT(page->pongs(), 0u);
  client.session->close("bye");
  EXPECT_TRUE(run_until([&] { return server.closed && host->sessions() == 0; }));
  EXPECT_EQ(server.closed->detail, "bye");
  EXPECT_EQ(host->stats().turned_away(), 0u);
}

TEST_F(WebSocketHost, SessionsAreResumed) {
  ASSERT_NO_FATAL_FAILURE(connect_by_web_socket());
  expect_both_ways(1000);
  page->reset_all();
  ASSERT_TRUE(run_until([&] { return client.interrupted == 1 && server.interrupted == 1; }));
  expect_both_ways(10'000);
  EXPECT_EQ(server.resumed, 1);
}

// Another context, which this thread turns as well.
TEST_F(WebSocketHost, SessionsMoveToTheirContext) {
  asio::io_context there(1);
  options.place = [&]() -> asio::io_context& { return there; };
  listen();
  page.emplace(io, host->address());
  dial(page->address());
  const auto turns = [&](auto done) {
    return run_until([&] {
      there.restart();
      there.poll();
      return done();
    });
  };
  ASSERT_TRUE(turns([&] { return client.established && server.established && settled(); }));
  ASSERT_TRUE(client.session->send(kFirstStream, text(300'000)));
  ASSERT_TRUE(server.session->send(kFirstStream, text(300'000)));
  EXPECT_TRUE(turns([&] { return client.arrived.size() == 1 && server.arrived.size() == 1; }));
  client.session->close();
  EXPECT_TRUE(turns([&] { return client.closed && server.closed && host->sessions() == 0; }));
  client.session.reset();
  server.session.reset();
  EXPECT_TRUE(turns([&] { return Session::alive() == 0; }));
}

// A bare socket plays the browser.
struct WebSocketStrangers : WebSocketHost {
  // What comes back until the socket is closed.
  std::string told(const std::vector<std::byte>& behind, const std::string& request) {
    tcp::socket raw = connect_raw();
    asio::write(raw, asio::buffer(request));
    std::string head;
    bool done = false;
    asio::async_read_until(raw, asio::dynamic_buffer(head), "\r\n\r\n",
                           [&](const error_code&, std::size_t) { done = true; });
    EXPECT_TRUE(run_until([&] { return done; }));
    asio::write(raw, asio::buffer(behind));
    done = false;
    asio::async_read(raw, asio::dynamic_buffer(head),
                     [&](const error_code&, std::size_t) { done = true; });
    EXPECT_TRUE(run_until([&] { return done; })) << "the socket stays open";
    return head;
  }
  struct Told {
    std::optional<Close> close;          // a record
    std::optional<unsigned> close_code;  // the frame
    std::size_t pongs = 0;
  };
  Told answer_to(const std::vector<std::byte>& behind) {
    return read(told(behind, upgrade_request()));
  }
  static Told read(const std::string& all) {
    EXPECT_TRUE(all.starts_with("HTTP/1.1 101 ")) << all;
    ServerFrames frames;
    frames.receive(std::as_bytes(std::span(all)).subspan(all.find("\r\n\r\n") + 4));
    std::vector<std::byte> stream;
    Told result;
    while (const auto frame = frames.next()) {
      EXPECT_FALSE(result.close_code) << "nothing comes behind it";
      if (frame->opcode == WebSocketOpcode::pong) ++result.pongs;
      if (frame->opcode == WebSocketOpcode::close) result.close_code = frame->close_code();
      if (frame->opcode == WebSocketOpcode::binary) {
        stream.insert(stream.end(), frame->payload.begin(), frame->payload.end());
      }
    }
    RecordParser parser;
    parser.feed(stream);
    const auto step = parser.next();
    const auto* record = std::get_if<Record>(&step);
    if (record != nullptr && std::holds_alternative<Close>(*record)) {
      result.close = std::get<Close>(*record);
    }
    return result;
  }
  // A page larger than what the sockets hold, without a copy of it.
  void listen_with_large_page() {
    options.page = [this](std::string_view, const Address&) {
      HttpPage large{.status = 200};
      large.asset = asset;
      return large;
    };
    listen();
  }
  const std::vector<std::byte> asset = std::vector<std::byte>(8'000'000, std::byte{'a'});

  static std::vector<std::byte> bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }
};

TEST_F(WebSocketStrangers, OfAnotherOriginAreRefused) {
  listen();
  const auto status = [&](const std::string& request) { return told({}, request).substr(9, 3); };
  EXPECT_EQ(status(upgrade_request("Origin: http://evil.example\r\n")), "403");
  EXPECT_EQ(status(upgrade_request("", "/den")), "404");
  EXPECT_EQ(status("GET /paceline HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"), "426");
  EXPECT_TRUE(run_until([&] { return host->stats().turned_away(TurnedAway::kVisit) == 3; }));
  EXPECT_EQ(host->stats().turned_away(), 3u);
}

TEST_F(WebSocketStrangers, AreToldWhy) {
  listen();
  const Told garbage = answer_to(masked_binary(bytes_of("SSH-2.0-OpenSSH\r\n")));
  ASSERT_TRUE(garbage.close);
  EXPECT_EQ(garbage.close->reason, CloseReason::kNotPaceline);
  EXPECT_EQ(garbage.close_code, kWebSocketNormal);
  EXPECT_TRUE(run_until([&] { return host->stats().turned_away(TurnedAway::kGreeting) == 1; }));
  auto bytes = masked_frame(0x89, bytes_of("hi"));
  const auto close = masked_frame(0x88, {});
  bytes.insert(bytes.end(), close.begin(), close.end());
  const Told left = answer_to(bytes);
  EXPECT_EQ(left.pongs, 1u);
  EXPECT_EQ(left.close_code, kWebSocketNormal);
  EXPECT_TRUE(run_until([&] { return host->stats().turned_away(TurnedAway::kEnded) == 1; }));
  // More than is read of it.
  const Told text = answer_to(masked_frame(0x81, bytes_of(std::string(5000, 'x'))));
  EXPECT_EQ(text.close_code, kWebSocketUnsupported);
  EXPECT_TRUE(run_until([&] { return host->stats().turned_away(TurnedAway::kGreeting) == 2; }));
}

TEST_F(WebSocketStrangers, HaveTheSameTimeToGreet) {
  config.greeting_timeout = 100ms;
  listen();
  const Told silent = answer_to(masked_frame(0x89, {}));
  ASSERT_TRUE(silent.close);
  EXPECT_EQ(silent.close->reason, CloseReason::kTimeout);
  EXPECT_TRUE(run_until([&] { return host->stats().turned_away(TurnedAway::kSilent) == 1; }));
}

TEST_F(WebSocketStrangers, AThousandOfThemHaveTheSamePlaces) {
  options.greeting.undisturbed = {};
  listen();
  std::deque<tcp::socket> idle;
  for (std::size_t i = 1; i <= 1000; ++i) {
    idle.push_back(connect_raw());
    asio::write(idle.back(), asio::buffer(upgrade_request()));
    std::array<char, 13> head{};
    std::size_t read = 0;
    asio::async_read(idle.back(), asio::buffer(head),
                     [&](const error_code&, std::size_t n) { read = n; });
    ASSERT_TRUE(run_until([&] { return read == head.size(); })) << i;
    ASSERT_LE(host->stats().greeting, options.greeting.each);
    if (idle.size() > 2 * options.greeting.each) idle.pop_front();  // it was closed long ago
  }
  EXPECT_EQ(host->stats().turned_away(TurnedAway::kPlace), 1000 - options.greeting.each);
}

// What a browser says over TLS, on a thread of its own that waits; all that it is told.
std::string told_by_tls(TcpSocket socket, const std::vector<std::byte>& behind) {
  sigset_t pipe;  // where the other end has closed; OpenSSL writes without MSG_NOSIGNAL
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  const TlsContextPtr context(SSL_CTX_new(TLS_client_method()));
  // As a browser that would rather have HTTP/2.
  const unsigned char alpn[] = "\x02h2\x08http/1.1";
  SSL_CTX_set_alpn_protos(context.get(), alpn, sizeof alpn - 1);
  const std::unique_ptr<SSL, FreedBy<SSL_free>> ssl(SSL_new(context.get()));
  socket.native_non_blocking(false);
  SSL_set_fd(ssl.get(), socket.native_handle());
  if (SSL_connect(ssl.get()) != 1) return {};
  const std::string request = upgrade_request();
  SSL_write(ssl.get(), request.data(), static_cast<int>(request.size()));
  std::string all;
  std::array<char, 1000> some{};
  bool said = false;
  for (int size = 0; (size = SSL_read(ssl.get(), some.data(), some.size())) > 0;) {
    all.append(some.data(), static_cast<std::size_t>(size));
    if (said || all.find("\r\n\r\n") == std::string::npos) continue;
    SSL_write(ssl.get(), behind.data(), static_cast<int>(behind.size()));
    said = true;
  }
  return all;
}

TEST_F(WebSocketStrangers, MayComeByTls) {
  const qvid::TemporaryFolder folder;
  const auto identity = Identity::load_or_generate(folder / "identity");
  ASSERT_TRUE(identity) << identity.error().message;
  options.identity = *identity;
  listen();
  auto bytes = masked_frame(0x89, bytes_of("hi"));
  const auto garbage = masked_binary(bytes_of("SSH-2.0-OpenSSH\r\n"));
  bytes.insert(bytes.end(), garbage.begin(), garbage.end());
  auto all = std::async(std::launch::async, told_by_tls, connect_raw(), bytes);
  ASSERT_TRUE(run_until([&] { return host->stats().turned_away() == 1; }));
  const Told answer = read(all.get());
  EXPECT_EQ(answer.pongs, 1u);
  ASSERT_TRUE(answer.close);
  EXPECT_EQ(answer.close->reason, CloseReason::kNotPaceline);
  EXPECT_EQ(answer.close_code, kWebSocketNormal);
}

TEST_F(WebSocketStrangers, MayReadALargePage) {
  listen_with_large_page();
  const std::string all = told({}, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_NE(all.find("\r\nContent-Length: 8000000\r\n"), std::string::npos);
  EXPECT_EQ(all.size() - all.find("\r\n\r\n") - 4, asset.size());
}

// Who reads has none of the places for who greets, and loses his to nobody.
TEST_F(WebSocketStrangers, WhoReadsAPageIsNotInTheWay) {
  options.greeting.undisturbed = {};
  options.greeting.each = 2;
  listen_with_large_page();
  std::deque<tcp::socket> readers;
  std::string status(12, ' ');
  const auto read_page = [&] {
    readers.push_back(connect_raw());
    asio::write(readers.back(), asio::buffer("GET / HTTP/1.1\r\n\r\n", 18));
    bool read = false;
    asio::async_read(readers.back(), asio::buffer(status),
                     [&](const error_code&, std::size_t) { read = true; });
    ASSERT_TRUE(run_until([&] { return read; }));
  };
  for (int i = 0; i < 64; ++i) {
    ASSERT_NO_FATAL_FAILURE(read_page());
    EXPECT_EQ(status, "HTTP/1.1 200") << i;
  }
  EXPECT_EQ(host->stats().greeting, 0u);
  ASSERT_NO_FATAL_FAILURE(read_page());
  EXPECT_EQ(status, "HTTP/1.1 503");
  EXPECT_EQ(host->stats().turned_away(TurnedAway::kPlace), 0u);
  readers.clear();
  EXPECT_TRUE(run_until([&] { return host->stats().turned_away() == 65; }));
  ASSERT_NO_FATAL_FAILURE(read_page());
  EXPECT_EQ(status, "HTTP/1.1 200");
}

}  // namespace
}  // namespace paceline::web_socket_host_test
