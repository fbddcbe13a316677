// A connection that goes over to another io_context, on another thread: plain and with TLS, on real
// loopback sockets.
#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <thread>

#include "tests/temporary_folder.h"
#include "tests/transport/event_loop.h"
#include "transport/tls/tls.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using qvid::operator""s;

struct MoveTest : testing::TestWithParam<bool>, EventLoop {
  using Outcome = std::variant<std::unique_ptr<Connection>, ConnectError>;

  // Both ends, with TLS where the test says so.
  void connect() {
    tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0});
    tcp::socket c(io), s(io);
    c.connect(acceptor.local_endpoint());
    acceptor.accept(s);
    if (!GetParam()) {
      client = make_plain_connection(std::move(c));
      server = make_plain_connection(std::move(s));
      return;
    }
    const qvid::TemporaryFolder folder;
    const auto identity = Identity::load_or_generate(folder / "identity");
    ASSERT_TRUE(identity) << identity.error().message;
    TrustOptions options;
    options.fingerprint = (*identity)->fingerprint();
    const auto trust = Trust::make(options);
    ASSERT_TRUE(trust);
    const auto take = [](std::unique_ptr<Connection>& into) {
      return [&into](Outcome outcome) {
        if (auto* made = std::get_if<0>(&outcome)) into = std::move(*made);
      };
    };
    const auto at_server = Handshake::server(std::move(s), *identity, 5s, take(server));
    const auto at_client =
        Handshake::client(std::move(c), *trust, "a.example", 1, 5s, take(client));
    ASSERT_TRUE(run_until([&] { return client && server; }));
  }
  static asio::const_buffer bytes_of(const std::string& text) { return asio::buffer(text); }
  // The client's word, as far as one read gives it.
  std::string read_here(Connection& from, std::size_t most) {
    std::vector<std::byte> into(most);
    std::size_t bytes = 0;
    from.read_some(into, [&](const error_code& e, std::size_t n) {
      EXPECT_FALSE(e) << e.message();
      bytes = n;
    });
    EXPECT_TRUE(run_until([&] { return bytes > 0; }));
    drain();  // of what the handler was called by, nothing is left
    return {reinterpret_cast<const char*>(into.data()), bytes};
  }
  void TearDown() override {
    client.reset();
    server.reset();
    drain();
  }

  std::unique_ptr<Connection> client, server;
};

TEST_P(MoveTest, GoesOnOnTheOtherThread) {
  asio::io_context other(1);
  ASSERT_NO_FATAL_FAILURE(connect());
  const std::string word = "before and behind";
  client->write({bytes_of(word)}, [](const error_code& e, std::size_t) { EXPECT_FALSE(e); });
  // The rest of the record has been read ahead, or is in the socket still.
  EXPECT_EQ(read_here(*server, 6), "before");
  ASSERT_TRUE(server->move_to(other));
  EXPECT_TRUE(server->is_open());

  auto work = asio::make_work_guard(other);
  std::jthread thread([&] { other.run(); });
  std::promise<std::string> got;
  std::vector<std::byte> into(100);
  const std::string much(3'000'000, 'm');
  asio::post(other, [&] {
    server->read_some(into, [&](const error_code& e, std::size_t n) {
      EXPECT_FALSE(e);
      got.set_value({reinterpret_cast<const char*>(into.data()), n});
      // More than the socket takes at once: it has to wait, there.
      server->write({bytes_of(much)}, [&](const error_code& f, std::size_t m) {
        EXPECT_FALSE(f);
        EXPECT_EQ(m, much.size());
        server->shut_down();
      });
    });
  });
  EXPECT_EQ(got.get_future().get(), " and behind");
  std::size_t received = 0;
  error_code end;
  std::vector<std::byte> piece(100'000);
  std::function<void()> read = [&] {
    client->read_some(piece, [&](const error_code& e, std::size_t n) {
      received += n;
      end = e;
      if (!e) read();
    });
  };
  read();
  EXPECT_TRUE(run_until([&] { return !!end; }));
  EXPECT_EQ(end, asio::error::eof);
  EXPECT_EQ(received, much.size());
  asio::post(other, [&] { server.reset(); });
  work.reset();
  thread.join();  // what it uses goes now
}

TEST_P(MoveTest, ThereAndBack) {
  asio::io_context other(1);
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_TRUE(server->move_to(other));
  ASSERT_TRUE(server->move_to(io));
  const std::string word = "hello";
  client->write({bytes_of(word)}, [](const error_code& e, std::size_t) { EXPECT_FALSE(e); });
  EXPECT_EQ(read_here(*server, 100), word);
}

INSTANTIATE_TEST_SUITE_P(Plain, MoveTest, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Tls, MoveTest, testing::Values(true));

}  // namespace
}  // namespace paceline
