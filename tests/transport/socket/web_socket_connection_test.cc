// A connection over a WebSocket on real loopback sockets: what a client may do, and what it is told.
#include "transport/socket/web_socket_connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "tests/transport/event_loop.h"
#include "tests/transport/web_socket_client.h"

namespace paceline::web_socket_connection_test {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

struct WebSocketConnectionTest : testing::Test, EventLoop {
  void SetUp() override {
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    client.open(tcp::v4());
    client.set_option(asio::socket_base::receive_buffer_size(64 * 1024));
    client.connect(acceptor.local_endpoint());
    tcp::socket accepted(io);
    acceptor.accept(accepted);
    server = make_web_socket_connection(make_plain_connection(std::move(accepted)), io);
  }
  void TearDown() override {
    server.reset();
    client.close();
    drain();
  }
  void say(const Bytes& bytes) { asio::write(client, asio::buffer(bytes)); }
  struct Read {
    error_code error;
    std::string text;
  };
  Read read(std::size_t most = 100) {
    Bytes into(most);
    std::optional<Read> result;
    server->read_some(into, [&](const error_code& e, std::size_t n) {
      result = {e, {reinterpret_cast<const char*>(into.data()), n}};
    });
    EXPECT_FALSE(result) << "never from inside the call";
    EXPECT_TRUE(run_until([&] { return result.has_value(); }));
    return result.value_or(Read{});
  }
  // What the server has sent.
  std::optional<ServerFrames::Frame> heard() {
    std::optional<ServerFrames::Frame> frame;
    run_until([&] {
      if (!frame) frame = frames.next();
      if (frame) return true;
      if (client.available() == 0) return false;
      Bytes some(client.available());
      const std::size_t size = client.read_some(asio::buffer(some));
      frames.receive(std::span(some).first(size));
      return false;
    });
    return frame;
  }

  tcp::socket client{io};
  std::unique_ptr<Connection> server;
  ServerFrames frames;
};

TEST_F(WebSocketConnectionTest, BytesGoBothWays) {
  say(masked_binary(bytes_of("hello")));
  EXPECT_EQ(read().text, "hello");
  say(masked_binary(bytes_of("world")));
  EXPECT_EQ(read(11).text, "world") << "its header takes six of them";
  const Bytes one = bytes_of("one"), two = bytes_of("two");
  EXPECT_TRUE(server->write_now({asio::buffer(one), asio::buffer(two)}, nullptr));
  const auto frame = heard();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->opcode, WebSocketOpcode::binary);
  EXPECT_EQ(frame->payload, bytes_of("onetwo"));
  std::size_t written = 0;
  server->write({asio::buffer(one)}, [&](const error_code& e, std::size_t n) {
    EXPECT_FALSE(e);
    written = n;
  });
  EXPECT_TRUE(run_until([&] { return written == 3; }));
  EXPECT_EQ(heard()->payload, one);
  EXPECT_EQ(server->security(), "none");
  EXPECT_NE(server->native_handle(), -1);
}

TEST_F(WebSocketConnectionTest, OneByteAtATime) {
  say(masked_binary(bytes_of("abc")));
  std::string all;
  while (all.size() < 3) all += read(1).text;
  EXPECT_EQ(all, "abc");
}

TEST_F(WebSocketConnectionTest, AnswersPingsAndACloseInOrder) {
  say(masked_frame(0x89, bytes_of("1")));
  say(masked_frame(0x8a, bytes_of("nobody asked")));
  say(masked_binary(bytes_of("x")));
  EXPECT_EQ(read().text, "x");
  const auto pong = heard();
  ASSERT_TRUE(pong);
  EXPECT_EQ(pong->opcode, WebSocketOpcode::pong);
  EXPECT_EQ(pong->payload, bytes_of("1"));
  Bytes both = masked_binary(bytes_of("last"));
  const Bytes close = masked_frame(0x88, Bytes{std::byte{0x03}, std::byte{0xe9}});
  both.insert(both.end(), close.begin(), close.end());
  say(both);
  EXPECT_EQ(read().text, "last");
  EXPECT_EQ(read().error, asio::error::eof);
  EXPECT_EQ(read().error, asio::error::eof);
  const auto answer = heard();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->opcode, WebSocketOpcode::close);
  EXPECT_EQ(answer->close_code(), 1001);
  std::optional<error_code> error;
  EXPECT_FALSE(server->write_now({asio::buffer(both)},
                                 [&](const error_code& e, std::size_t) { error = e; }));
  EXPECT_FALSE(error);
  EXPECT_TRUE(run_until([&] { return error.has_value(); }));
  EXPECT_EQ(*error, asio::error::broken_pipe) << "nothing goes behind a close";
}

TEST_F(WebSocketConnectionTest, TellsWhoBreaksTheRules) {
  say(masked_frame(0x81, bytes_of("text")));
  EXPECT_EQ(read().error, boost::system::errc::protocol_error);
  const auto close = heard();
  ASSERT_TRUE(close);
  EXPECT_EQ(close->opcode, WebSocketOpcode::close);
  EXPECT_EQ(close->close_code(), kWebSocketUnsupported);
}

TEST_F(WebSocketConnectionTest, EndsWithACloseBehindTheLastByte) {
  const Bytes large(8'000'000, std::byte{'x'});
  bool written = false;
  EXPECT_FALSE(server->write_now({asio::buffer(large)}, [&](const error_code& e, std::size_t n) {
    EXPECT_FALSE(e);
    EXPECT_EQ(n, large.size());
    written = true;
  }));
  server->shut_down();
  const auto frame = heard();
  ASSERT_TRUE(frame);
  EXPECT_TRUE(frame->payload == large);
  const auto close = heard();
  ASSERT_TRUE(close);
  EXPECT_EQ(close->opcode, WebSocketOpcode::close);
  EXPECT_EQ(close->close_code(), kWebSocketNormal);
  EXPECT_TRUE(written);
  std::byte more{};
  error_code end;
  client.read_some(asio::buffer(&more, 1), end);
  EXPECT_EQ(end, asio::error::eof);
}

// Who floods us with pings and reads nothing has one answer waiting.
TEST_F(WebSocketConnectionTest, OneAnswerWaitsForASlowReader) {
  const Bytes large(8'000'000, std::byte{'y'});
  bool written = false;
  EXPECT_FALSE(server->write_now({asio::buffer(large)},
                                 [&](const error_code& e, std::size_t) { written = !e; }));
  for (int i = 0; i < 1000; ++i) say(masked_frame(0x89, bytes_of(std::to_string(i))));
  say(masked_binary(bytes_of("done")));
  EXPECT_EQ(read().text, "done");
  EXPECT_FALSE(written);
  EXPECT_TRUE(heard()->payload == large);
  EXPECT_TRUE(run_until([&] { return written; }));
  EXPECT_TRUE(server->write_now({asio::buffer(large.data(), 3)}, nullptr));
  const auto pong = heard();
  ASSERT_TRUE(pong);
  EXPECT_EQ(pong->opcode, WebSocketOpcode::pong);
  EXPECT_EQ(pong->payload, bytes_of("999"));
  EXPECT_EQ(heard()->payload, bytes_of("yyy"));
}

// The socket is full of answers to pings: a write waits for the one under way, and comes whole.
TEST_F(WebSocketConnectionTest, AWriteWaitsForAnAnswer) {
  const int small = 4096;
  ASSERT_EQ(::setsockopt(server->native_handle(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
  Bytes into(1000);
  server->read_some(into, [](const error_code&, std::size_t) { ADD_FAILURE() << "only pings"; });
  const Bytes ping = masked_frame(0x89, Bytes(125, std::byte{'p'}));
  for (int i = 0; i < 5000; ++i) {
    say(ping);
    drain();
  }
  const Bytes word = bytes_of("word");
  bool written = false;
  EXPECT_FALSE(server->write_now({asio::buffer(word)}, [&](const error_code& e, std::size_t n) {
    EXPECT_FALSE(e);
    EXPECT_EQ(n, word.size());
    written = true;
  }));
  drain();
  EXPECT_FALSE(written);
  std::size_t pongs = 0;
  for (;;) {
    const auto frame = heard();
    ASSERT_TRUE(frame);
    if (frame->opcode == WebSocketOpcode::binary) {
      EXPECT_EQ(frame->payload, word);
      break;
    }
    ASSERT_EQ(frame->payload.size(), 125u);
    ++pongs;
  }
  EXPECT_GT(pongs, 0u);
  EXPECT_LT(pongs, 5000u) << "those that the socket did not take were too old";
  EXPECT_TRUE(run_until([&] { return written; }));
}

TEST_F(WebSocketConnectionTest, MovesToAnotherContext) {
  asio::io_context other(1);
  say(masked_frame(0x02, bytes_of("before")));
  EXPECT_EQ(read().text, "before");
  drain();
  ASSERT_TRUE(server->move_to(other));
  say(masked_frame(0x80, bytes_of("behind")));
  say(masked_frame(0x88, {}));
  Bytes into(100);
  std::vector<std::string> got;
  std::optional<error_code> end;
  std::function<void()> next = [&] {
    server->read_some(into, [&](const error_code& e, std::size_t n) {
      EXPECT_TRUE(other.get_executor().running_in_this_thread());
      if (e) {
        end = e;
        return;
      }
      got.emplace_back(reinterpret_cast<const char*>(into.data()), n);
      next();
    });
  };
  next();
  EXPECT_TRUE(run_until([&] {
    other.restart();
    other.poll();
    return end.has_value();
  }));
  EXPECT_EQ(got, std::vector<std::string>{"behind"});
  EXPECT_EQ(*end, asio::error::eof);
  server.reset();
}

TEST_F(WebSocketConnectionTest, NoHandlerIsCalledAfterItsEnd) {
  say(masked_frame(0x88, {}));
  EXPECT_EQ(read().error, asio::error::eof);
  Bytes into(10);
  server->read_some(into, [](const error_code&, std::size_t) { ADD_FAILURE() << "it was closed"; });
  server->close(false);
  drain();
  server.reset();
  drain();
}

}  // namespace
}  // namespace paceline::web_socket_connection_test
