// A listener may go at any time, and says what to do where it cannot be.
#include "transport/socket/listener.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>
#include <vector>

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

// Sets how many descriptors may be open, until the end of its scope.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t most) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit less = before_;
    less.rlim_cur = most;
    setrlimit(RLIMIT_NOFILE, &less);
  }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_F(ListenerTest, WithoutDescriptorsItTellsOnceAndGoesOnAfterwards) {
  int accepted = 0;
  std::vector<std::string> troubles;
  auto opened = Listener::open(
      io, {.host = "127.0.0.1", .port = 0}, [&](TcpSocket) { ++accepted; },
      [&](const std::string& trouble) { troubles.push_back(trouble); });
  ASSERT_TRUE(opened) << opened.error().message;
  listener = *std::move(opened);
  tcp::socket client = connect();
  {
    const DescriptorLimit none(static_cast<rlim_t>(client.native_handle() + 1));
    // The lowest free one is what accept would take.
    std::vector<int> taken;
    for (int file = ::dup(0); file >= 0; file = ::dup(0)) taken.push_back(file);
    ASSERT_TRUE(run_until([&] { return !troubles.empty(); }));
    asio::steady_timer later(io, 350ms);  // some tries more
    bool over = false;
    later.async_wait([&](const auto&) { over = true; });
    ASSERT_TRUE(run_until([&] { return over; }));
    EXPECT_EQ(troubles.size(), 1u);
    EXPECT_NE(troubles[0].find("cannot accept"), std::string::npos) << troubles[0];
    EXPECT_EQ(accepted, 0);
    for (const int file : taken) ::close(file);
  }
  EXPECT_TRUE(run_until([&] { return accepted == 1; }));
}

}  // namespace
}  // namespace paceline
