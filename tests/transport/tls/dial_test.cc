// Dialling on loopback with one event loop: every wait is bounded, no sleeps.
#include "transport/tls/dial.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/write.hpp>
#include <optional>
#include <string>

#include "tests/temporary_folder.h"
#include "tests/transport/event_loop.h"

namespace paceline::dial_test {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using qvid::operator""ms;
using qvid::operator""s;
using Outcome = std::variant<std::unique_ptr<Connection>, ConnectError>;

struct DialTest : testing::Test, EventLoop {
  DialTest() : acceptor(io, {asio::ip::address_v4::loopback(), 0}) {}

  Address here() const { return {.host = "127.0.0.1", .port = acceptor.local_endpoint().port()}; }
  OnConnection into_outcome() {
    return [this](Outcome o) {
      EXPECT_FALSE(outcome) << "called twice";
      outcome = std::move(o);
    };
  }
  void dial(const Address& address, const DialOptions& options) {
    outcome.reset();
    Dial dial(io, address, options, into_outcome());
    EXPECT_FALSE(outcome) << "called from inside";
    EXPECT_TRUE(run_until([this] { return !!outcome; }));
  }
  void expect_error(std::initializer_list<const char*> words, bool permanent) {
    ASSERT_TRUE(outcome && outcome->index() == 1);
    const auto& error = std::get<1>(*outcome);
    EXPECT_EQ(error.permanent, permanent) << error.message;
    for (const char* word : words) {
      EXPECT_NE(error.message.find(word), std::string::npos) << word << ": " << error.message;
    }
  }

  tcp::acceptor acceptor;
  std::optional<Outcome> outcome;
};

TEST_F(DialTest, ConnectsWithoutTls) {
  dial(here(), {});
  ASSERT_TRUE(outcome && outcome->index() == 0);
  const auto& connection = std::get<0>(*outcome);
  EXPECT_EQ(connection->peer(), here().text());
  EXPECT_EQ(connection->security(), "none");
}

// A bare root without /etc/hosts does not know the name.
bool knows_localhost() {
  asio::io_context io;
  error_code error;
  tcp::resolver(io).resolve("localhost", "1", error);
  return !error;
}

// "localhost" may stand for ::1 too, where nobody listens.
TEST_F(DialTest, TriesEveryAddressOfAName) {
  if (!knows_localhost()) GTEST_SKIP() << "the name localhost cannot be looked up here";
  dial({.host = "localhost", .port = here().port}, {});
  ASSERT_TRUE(outcome && outcome->index() == 0);
  EXPECT_EQ(std::get<0>(*outcome)->peer(), here().text());
}

TEST_F(DialTest, LimitsTheSegmentBothWays) {
  dial(here(), {.timeout = 5s, .trust = {}, .max_segment = 600});
  ASSERT_TRUE(outcome && outcome->index() == 0);
  tcp::socket accepted = acceptor.accept();
  for (const int fd : {std::get<0>(*outcome)->native_handle(), accepted.native_handle()}) {
    tcp_info info{};
    socklen_t size = sizeof info;
    ASSERT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size), 0);
    EXPECT_LE(info.tcpi_snd_mss, 600u);
  }
  dial(here(), {.timeout = 5s, .trust = {}, .max_segment = 3});
  expect_error({"segments", "3 bytes"}, true);
}

TEST_F(DialTest, SaysWhyItCannotConnect) {
  const Address address = here();
  acceptor.close();
  dial(address, {});
  expect_error({"cannot connect to ", "127.0.0.1:", "refused"}, false);
  // A label that is too long for any name server to be asked.
  dial({.host = std::string(100, 'a') + ".invalid", .port = 1}, {});
  expect_error({".invalid:1", "looked up"}, false);
}

TEST_F(DialTest, ASilentServerIsGivenUp) {
  const auto trust = Trust::make({});
  ASSERT_TRUE(trust);
  dial(here(), {.timeout = 300ms, .trust = *trust, .max_segment = 0});
  expect_error({here().text().c_str(), "within"}, false);

  // Nor is one that does not even answer to TCP: its backlog is full.
  acceptor.close();
  acceptor.open(tcp::v4());
  acceptor.bind({asio::ip::address_v4::loopback(), 0});
  acceptor.listen(0);
  std::vector<tcp::socket> full;
  for (int i = 0; i < 4; ++i) {
    full.emplace_back(io);
    full.back().async_connect(acceptor.local_endpoint(), [](const error_code&) {});
  }
  drain();
  dial(here(), {.timeout = 300ms, .trust = {}, .max_segment = 0});
  expect_error({"no answer in time"}, false);
}

TEST_F(DialTest, ConnectsWithTls) {
  const qvid::TemporaryFolder folder;
  const auto identity = Identity::load_or_generate(folder.path());
  ASSERT_TRUE(identity);
  const auto trust =
      Trust::make({.fingerprint = (*identity)->fingerprint(), .ca_file = {}, .known_hosts = {}});
  ASSERT_TRUE(trust);

  std::optional<Handshake> handshake;
  std::optional<Outcome> accepted;
  acceptor.async_accept([&](const error_code& e, tcp::socket socket) {
    ASSERT_FALSE(e);
    handshake.emplace(Handshake::server(std::move(socket), *identity, 5s,
                                        [&](Outcome o) { accepted = std::move(o); }));
  });
  dial(here(), {.timeout = 5s, .trust = *trust, .max_segment = 0});
  ASSERT_TRUE(outcome && outcome->index() == 0) << std::get<1>(*outcome).message;
  EXPECT_TRUE(std::get<0>(*outcome)->security().starts_with("TLSv1.3"));
  EXPECT_TRUE(run_until([&] { return !!accepted; }));
  EXPECT_EQ(accepted->index(), 0u);
}

TEST_F(DialTest, TellsAServerWithoutTls) {
  acceptor.async_accept([](const error_code&, tcp::socket socket) {
    error_code ignored;
    asio::write(socket, asio::buffer("PACELINE\x02", 9), ignored);
  });
  const auto trust = Trust::make({});
  ASSERT_TRUE(trust);
  dial(here(), {.timeout = 5s, .trust = *trust, .max_segment = 0});
  expect_error({here().text().c_str(), "does not use TLS"}, true);
}

TEST_F(DialTest, OneThatIsGivenUpCallsNobody) {
  const auto trust = Trust::make({});
  ASSERT_TRUE(trust);
  std::vector<std::string> hosts{"127.0.0.1"};
  if (knows_localhost()) hosts.push_back("localhost");
  for (const std::string& host : hosts) {
    for (const bool tls : {true, false}) {
      for (int turns = 0; turns < 3; ++turns) {  // given up at each stage
        auto dial = std::make_unique<Dial>(
            io, Address{.host = host, .port = here().port},
            DialOptions{.timeout = 5s, .trust = tls ? *trust : nullptr, .max_segment = 0},
            [](Outcome) { ADD_FAILURE() << "called"; });
        for (int i = 0; i < turns; ++i) {
          io.restart();
          if (tls || i == 0) io.run_one_for(5s);  // without TLS the next would be the last
        }
        dial.reset();
        drain();
      }
    }
  }
}

TEST_F(DialTest, TheCallbackMayDestroyIt) {
  std::optional<Dial> dial;
  bool called = false;
  dial.emplace(io, here(), DialOptions{}, [&](Outcome) {
    dial.reset();
    called = true;
  });
  EXPECT_TRUE(run_until([&] { return called; }));
}

}  // namespace
}  // namespace paceline::dial_test
