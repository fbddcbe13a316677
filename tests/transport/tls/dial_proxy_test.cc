// Dialling through a scripted proxy on loopback: what the talk leaves in the socket, and what each
// trouble is called.
#include <gtest/gtest.h>

#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <optional>
#include <string>

#include "tests/transport/tls_network.h"
#include "transport/tls/dial.h"

namespace paceline::dial_proxy_test {
namespace {

using boost::system::error_code;
using qvid::operator""ms;
using Outcome = std::variant<std::unique_ptr<Connection>, ConnectError>;
using Stage = ConnectError::Stage;

const std::string kOpen = "HTTP/1.1 200 OK\r\n\r\n";

// Each connection that comes has the next answer, once its request has come.
struct DialProxyTest : TlsTest {
  void answer(std::string text) { answers.push_back(std::move(text)); }
  void accept() {
    acceptor.async_accept([this](const error_code& e, tcp::socket socket) {
      if (e) return;
      ++connections;
      here = std::move(socket);
      asio::async_read_until(here, request, "\r\n\r\n", [this](const error_code& e2, std::size_t) {
        if (e2 || answers.empty()) return;
        requests.emplace_back(asio::buffers_begin(request.data()),
                              asio::buffers_end(request.data()));
        request.consume(request.size());
        error_code ignored;
        asio::write(here, asio::buffer(answers.front()), ignored);
        answers.pop_front();
        accept();
      });
    });
  }
  ConnectError dial(bool tls) {
    accept();
    const auto parsed = parse_proxy("http://ann:secret@" + proxy_address());
    EXPECT_TRUE(parsed);
    if (!proxy) proxy = std::make_shared<Proxy>(Proxy{.server = *parsed, .login = {}});
    std::optional<Outcome> outcome;
    const Dial dial(
        io, {.host = "far.example", .port = 77},
        {.timeout = timeout, .trust = tls ? trust_in(*identity) : nullptr, .proxy = proxy},
        into(outcome));
    EXPECT_FALSE(outcome) << "called from inside";
    EXPECT_TRUE(run_until([&] { return !!outcome; }));
    connection.reset();
    if (!outcome) return {};
    if (outcome->index() == 0) connection = std::move(std::get<0>(*outcome));
    return outcome->index() == 1 ? std::get<1>(*outcome) : ConnectError{};
  }
  std::string proxy_address() const {
    return "127.0.0.1:" + std::to_string(acceptor.local_endpoint().port());
  }

  tcp::acceptor acceptor{io, {asio::ip::address_v4::loopback(), 0}};
  qvid::Duration timeout = 5s;
  std::shared_ptr<Proxy> proxy;
  std::deque<std::string> answers;
  std::vector<std::string> requests;
  int connections = 0;
  asio::streambuf request;
  tcp::socket here{io};
  std::unique_ptr<Connection> connection;
};

TEST_F(DialProxyTest, WhatIsBehindTheAnswerIsTheServers) {
  answer(kOpen + "PACELINE");
  const auto error = dial(false);
  ASSERT_TRUE(connection) << error.message;
  EXPECT_TRUE(requests.at(0).starts_with("CONNECT far.example:77 HTTP/1.1\r\n"));
  std::array<std::byte, 32> bytes{};
  std::size_t got = 0;
  connection->read_some(bytes, [&](const error_code& e, std::size_t n) {
    EXPECT_FALSE(e);
    got = n;
  });
  EXPECT_TRUE(run_until([&] { return got > 0; }));
  EXPECT_EQ(got, 8u);
  EXPECT_EQ(static_cast<char>(bytes[0]), 'P');
}

TEST_F(DialProxyTest, ProvesItselfOnANewConnectionAndRemembersHow) {
  answer(
      "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n"
      "Content-Length: 4\r\n\r\nbody");
  answer(kOpen);
  answer(kOpen);
  EXPECT_EQ(dial(false).message, "");
  EXPECT_TRUE(connection);
  EXPECT_EQ(dial(false).message, "");
  EXPECT_TRUE(connection);
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0].find("Proxy-Authorization"), std::string::npos);
  EXPECT_NE(requests[1].find("Proxy-Authorization: Digest username=\"ann\""), std::string::npos);
  EXPECT_NE(requests[1].find("nc=00000001"), std::string::npos);
  EXPECT_NE(requests[2].find("nc=00000002"), std::string::npos);
}

TEST_F(DialProxyTest, TellsThatAProxyOpensTls) {
  answer(kOpen + std::string("\x15\x03\x03\x00\x02\x02\x78", 7));  // it knows none of our protocols
  const auto error = dial(true);
  EXPECT_EQ(error.stage, Stage::protocol);
  EXPECT_TRUE(error.permanent);
  for (const auto& word : {"the proxy http://" + proxy_address() + " opens TLS",
                           std::string("far.example:77"), std::string("not to inspect")}) {
    EXPECT_NE(error.message.find(word), std::string::npos) << word << ": " << error.message;
  }
}

TEST_F(DialProxyTest, ACertificateOfAnotherMayBeTheProxys) {
  std::optional<Outcome> at_server;
  std::optional<Handshake> handshake;
  acceptor.async_accept([&](const error_code&, tcp::socket socket) {
    here = std::move(socket);
    asio::async_read_until(here, request, "\r\n\r\n", [&](const error_code&, std::size_t) {
      asio::write(here, asio::buffer(kOpen));
      handshake.emplace(Handshake::server(std::move(here), impostor, 5s, into(at_server)));
    });
  });
  const auto error = dial(true);
  EXPECT_EQ(error.stage, Stage::identity);
  EXPECT_TRUE(error.untrusted);
  EXPECT_NE(error.message.find("opens TLS to inspect it"), std::string::npos) << error.message;
  EXPECT_EQ(error.message.find("secret"), std::string::npos) << error.message;
}

TEST_F(DialProxyTest, TellsThatTheProxyIsNotThere) {
  acceptor.close();
  acceptor.open(tcp::v4());
  acceptor.bind({asio::ip::address_v4::loopback(), 0});  // and does not listen
  const auto error = dial(true);
  EXPECT_FALSE(error.permanent);
  EXPECT_EQ(error.stage, Stage::tcp);
  EXPECT_NE(error.message.find("cannot reach the proxy http://" + proxy_address()),
            std::string::npos)
      << error.message;
  EXPECT_NE(error.message.find("refused"), std::string::npos) << error.message;
}

TEST_F(DialProxyTest, ASilentProxyIsGivenUp) {
  answer("HTTP/1.1 200");
  timeout = 30ms;
  const auto error = dial(true);
  EXPECT_EQ(error.stage, Stage::proxy);
  EXPECT_FALSE(error.permanent);
  EXPECT_NE(error.message.find("in time"), std::string::npos) << error.message;
}

TEST_F(DialProxyTest, OneThatHangsUpIsTold) {
  acceptor.async_accept([&](const error_code&, tcp::socket socket) { socket.close(); });
  const auto error = dial(false);
  EXPECT_EQ(error.stage, Stage::proxy);
  EXPECT_NE(error.message.find("closed the connection"), std::string::npos) << error.message;
}

TEST_F(DialProxyTest, GivenUpInTheMiddleItCallsNobody) {
  for (int turns = 0; turns < 8; ++turns) {
    answers.assign({kOpen});
    accept();
    proxy = std::make_shared<Proxy>(Proxy{.server = *parse_proxy(proxy_address()), .login = {}});
    auto dial = std::make_unique<Dial>(io, Address{.host = "far.example", .port = 1},
                                       DialOptions{.trust = trust_in(*identity), .proxy = proxy},
                                       [](Outcome) { ADD_FAILURE() << "called"; });
    for (int i = 0; i < turns; ++i) {
      io.restart();
      io.run_one_for(10ms);
    }
    dial.reset();
    acceptor.cancel();
    here.close();
    drain();
  }
}

}  // namespace
}  // namespace paceline::dial_proxy_test
