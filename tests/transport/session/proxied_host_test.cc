// A host behind a proxy that says who its clients are (PROXY protocol), on real sockets.
#include <gtest/gtest.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "tests/transport/real_session.h"
#include "transport/session/host.h"
#include "transport/wire/write_record.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using qvid::operator""ms;

struct ProxiedHostTest : RealSession {
  ProxiedHostTest() { trust("127.0.0.0/8"); }
  void trust(const char* network) { options.proxies = {*Network::parse(network)}; }
  static std::string from(const std::string& client) {
    return "PROXY TCP4 " + client + " 10.0.0.1 56324 443\r\n";
  }
  static std::string hello() {
    std::vector<std::byte> bytes;
    write_preamble(bytes);
    write_record(Hello{}, bytes);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  tcp::socket say(const std::string& words) {
    tcp::socket raw = connect_raw();
    asio::write(raw, asio::buffer(words));
    return raw;
  }
  // All that comes until the end.
  std::string answer(tcp::socket& raw) {
    std::string all(4096, '\0');
    bool ended = false;
    std::size_t size = 0;
    asio::async_read(raw, asio::buffer(all), [&](const error_code&, std::size_t n) {
      ended = true;
      size = n;
    });
    EXPECT_TRUE(run_until([&] { return ended; })) << "the socket stays open";
    raw.close();
    run_until([&] { return ended; });
    all.resize(size);
    return all;
  }
};

TEST_F(ProxiedHostTest, ThePeerIsWhoTheProxySays) {
  listen();
  const tcp::socket raw = say(from("192.0.2.1") + hello());
  ASSERT_TRUE(run_until([&] { return !!server.session; }));
  EXPECT_EQ(server.session->peer(), "192.0.2.1:56324");
}

TEST_F(ProxiedHostTest, AProxyMaySpeakForItself) {
  listen();
  const tcp::socket raw = say("PROXY UNKNOWN\r\n" + hello());
  ASSERT_TRUE(run_until([&] { return !!server.session; }));
  EXPECT_TRUE(server.session->peer().starts_with("127.0.0.1:"));
}

TEST_F(ProxiedHostTest, WithoutAWordOnTheClientItIsClosedUnheard) {
  listen();
  tcp::socket raw = say(hello());
  EXPECT_EQ(answer(raw), "");
  EXPECT_EQ(host->stats().turned_away(), 1u);
}

TEST_F(ProxiedHostTest, OneThatSaysNothingIsGivenUp) {
  config.greeting_timeout = 30ms;
  listen();
  tcp::socket raw = say("PROXY TCP4 ");
  EXPECT_EQ(answer(raw), "");
  EXPECT_EQ(host->stats().turned_away(), 1u);
}

TEST_F(ProxiedHostTest, LimitsCountTheClients) {
  options.greeting.each = 2;
  options.greeting.undisturbed = {};
  listen();
  tcp::socket first = say(from("192.0.2.1"));
  const tcp::socket second = say(from("192.0.2.1"));
  ASSERT_TRUE(run_until([&] { return host->stats().sockets == 2; }));
  drain();
  const tcp::socket third = say(from("192.0.2.1"));
  EXPECT_EQ(answer(first), "");  // the one that waits longest goes
  const tcp::socket other = say(from("192.0.2.2") + hello());
  EXPECT_TRUE(run_until([&] { return !!server.session; }));
  EXPECT_EQ(host->stats().turned_away(), 1u);
}

TEST_F(ProxiedHostTest, OthersAreNotBelieved) {
  trust("10.0.0.0/8");
  listen();
  tcp::socket raw = say(from("192.0.2.1") + hello());
  EXPECT_NE(answer(raw), "");  // a close: that is no greeting
  EXPECT_EQ(host->stats().sessions, 0u);
}

TEST_F(ProxiedHostTest, ClosedWhileItWaitsForTheWord) {
  listen();
  const tcp::socket raw = say("PROXY ");
  ASSERT_TRUE(run_until([&] { return host->stats().sockets == 1; }));
  host->close();
  drain();
  host.reset();
  drain();
}

}  // namespace
}  // namespace paceline
