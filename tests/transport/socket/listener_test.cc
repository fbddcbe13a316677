// A listener may go at any time, and says what to do where it cannot be.
#include "transport/socket/listener.h"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <memory>
#include <string>

#include "tests/transport/event_loop.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using qvid::operator""ms;
using qvid::operator""s;

struct ListenerTest : testing::Test, EventLoop {
  void listen(Listener::OnSocket on_socket) {
    auto opened = Listener::open(io, {.host = "127.0.0.1", .port = 0}, std::move(on_socket),
                                 [](const std::string& trouble) { ADD_FAILURE() << trouble; });
    ASSERT_TRUE(opened) << opened.error().message;
    listener = std::move(*opened);
  }
  tcp::socket connect() {
    tcp::socket raw(io);
    raw.connect({asio::ip::make_address("127.0.0.1"), listener->address().port});
    return raw;
  }
  std::unique_ptr<Listener> listener;
};

TEST_F(ListenerTest, PortInUseIsAnErrorThatSaysWhatToDo) {
  listen([](TcpSocket) {});
  const auto second = Listener::open(
      io, listener->address(), [](TcpSocket) {}, [](auto&) {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("choose another port"), std::string::npos);
}

// Two connections wait; the listener goes while the second's completion is on the queue.
TEST_F(ListenerTest, MayGoWhileConnectionsWait) {
  int accepted = 0;
  listen([&](TcpSocket) {
    if (++accepted == 1) asio::post(io, [&] { listener.reset(); });
  });
  tcp::socket first = connect();
  tcp::socket second = connect();
  ASSERT_TRUE(run_until([&] { return !listener; }));
  io.restart();
  while (io.poll() > 0) io.restart();
  EXPECT_EQ(accepted, 1);
}

TEST_F(ListenerTest, MayGoFromItsOwnCallback) {
  listen([&](TcpSocket) { listener.reset(); });
  tcp::socket raw = connect();
  EXPECT_TRUE(run_until([&] { return !listener; }));
}

}  // namespace
}  // namespace paceline
