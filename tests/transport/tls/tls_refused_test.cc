// Handshakes that fail: with who speaks something else, an old version, or nothing at all.
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <signal.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include "tests/transport/tls_network.h"
#include "transport/tls/tls_connection.h"

namespace paceline {
namespace {

using boost::system::error_code;
using qvid::operator""ms;

TEST_F(TlsTest, AClientTellsWhatAServerIsInstead) {
  const struct {
    std::string answer;
    const char* expected;
    bool permanent;
  } cases[] = {{std::string("PACELINE\x02", 9), "does not use TLS; --insecure", true},
               {"HTTP/1.1 400 Bad Request\r\n\r\n", "does not use TLS", true},
               {"", "closed the connection", false},
               {"\x15\x03\x03", "closed the connection", false},
               {std::string("\x15\x03\x03\x00\x02\x02\x78", 7), "not Paceline 2", true},
               {std::string("\x15\x03\x03\x00\x02\x02\x46", 7), "does not speak TLS 1.3", true},
               {std::string("\x15\x03\x03\x00\x02\x02\x50", 7), "failed: ", false},
               {std::string("\x16\x03\x03\x00\x04zzzz", 9), "failed: ", false}};
  for (const auto& c : cases) {
    auto [client_socket, server] = sockets();
    std::optional<Outcome> client;
    const auto handshake = Handshake::client(std::move(client_socket), trust_in(*identity),
                                             "a.example", 77, 5s, into(client));
    asio::write(server, asio::buffer(c.answer));
    server.shutdown(TcpSocket::shutdown_send);
    ASSERT_TRUE(run_until([&] { return !!client; }));
    ASSERT_EQ(client->index(), 1u);
    const auto& error = std::get<1>(*client);
    EXPECT_EQ(error.permanent, c.permanent) << error.message;
    EXPECT_NE(error.message.find(c.expected), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("the server at a.example:77"), std::string::npos) << error.message;
  }
}

TEST_F(TlsTest, AServerTellsWhatAClientIsInstead) {
  const struct {
    std::string words;
    const char* expected;
  } cases[] = {{std::string("PACELINE\x02", 9), "speaks Paceline without TLS"},
               {"GET / HTTP/1.1\r\n\r\n", "does not speak TLS"},
               {std::string(100'000, '\xee'), "does not speak TLS"},
               {"", "closed the connection"},
               {std::string("\x16\x03\x01\x02\x00\x01", 6), "closed the connection"},
               {std::string("\x16\x03\x01\x00\x04zzzz", 9), "failed: "}};
  for (const auto& c : cases) {
    auto [client, server_socket] = sockets();
    std::optional<Outcome> server;
    const auto handshake = Handshake::server(std::move(server_socket), identity, 5s, into(server));
    error_code ignored;
    asio::write(client, asio::buffer(c.words), ignored);
    client.shutdown(TcpSocket::shutdown_send, ignored);
    ASSERT_TRUE(run_until([&] { return !!server; }));
    ASSERT_EQ(server->index(), 1u);
    const auto& error = std::get<1>(*server);
    EXPECT_FALSE(error.permanent);
    EXPECT_NE(error.message.find(c.expected), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("the client at 127.0.0.1:"), std::string::npos) << error.message;
  }
}

TEST_F(TlsTest, ASilentPeerIsGivenUp) {
  auto [c, s] = sockets();
  std::optional<Outcome> client, server;
  auto [c2, s2] = sockets();
  const auto at_server = Handshake::server(std::move(s), identity, 30ms, into(server));
  const auto at_client =
      Handshake::client(std::move(c2), trust_in(*identity), "a.example", 1, 30ms, into(client));
  asio::write(c, asio::buffer("\x16\x03", 2));  // begins, and never goes on
  ASSERT_TRUE(run_until([&] { return client && server; }));
  for (auto* outcome : {&*client, &*server}) {
    ASSERT_EQ(outcome->index(), 1u);
    const auto& error = std::get<1>(*outcome);
    EXPECT_FALSE(error.permanent);
    EXPECT_NE(error.message.find("within 0.03 s"), std::string::npos) << error.message;
  }
}

// Other software's TLS: OpenSSL on blocking sockets, in a thread of its own.
struct Foreign {
  Foreign(TcpSocket socket, const SSL_METHOD* method, const std::string& alpn, int max_version,
          const Signed* server = nullptr)
      : thread([socket = std::move(socket), method, alpn, max_version, server]() mutable {
          sigset_t pipe;  // where the other end has closed; OpenSSL writes without MSG_NOSIGNAL
          ::sigemptyset(&pipe);
          ::sigaddset(&pipe, SIGPIPE);
          ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
          SSL_CTX* context = SSL_CTX_new(method);
          SSL_CTX_set_max_proto_version(context, max_version);
          if (!alpn.empty()) {
            const std::string wire = static_cast<char>(alpn.size()) + alpn;
            SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(wire.data()),
                                    static_cast<unsigned>(wire.size()));
          }
          if (server) {
            SSL_CTX_use_certificate(context, server->certificate);
            SSL_CTX_use_PrivateKey(context, server->key);
          }
          SSL* ssl = SSL_new(context);
          socket.native_non_blocking(false);
          SSL_set_fd(ssl, socket.native_handle());
          (void)(server ? SSL_accept(ssl) : SSL_connect(ssl));
          SSL_free(ssl);
          SSL_CTX_free(context);
          error_code ignored;
          socket.shutdown(TcpSocket::shutdown_send, ignored);
          char rest[1000];
          while (socket.read_some(asio::buffer(rest), ignored) > 0) {
          }
        }) {}
  std::jthread thread;
};

TEST_F(TlsTest, ServersRefuseOtherProtocolsAndVersions) {
  const struct {
    const char* alpn;
    int version;
    const char* expected;
  } cases[] = {{"h2", TLS1_3_VERSION, "did not ask for Paceline 2"},
               {"", TLS1_3_VERSION, "did not ask for Paceline 2"},
               {"paceline/2", TLS1_2_VERSION, "does not speak TLS 1.3"}};
  for (const auto& c : cases) {
    auto [client, server_socket] = sockets();
    std::optional<Outcome> server;
    const auto handshake = Handshake::server(std::move(server_socket), identity, 5s, into(server));
    const Foreign foreign(std::move(client), TLS_client_method(), c.alpn, c.version);
    ASSERT_TRUE(run_until([&] { return !!server; }));
    ASSERT_EQ(server->index(), 1u) << c.expected;
    EXPECT_NE(std::get<1>(*server).message.find(c.expected), std::string::npos)
        << std::get<1>(*server).message;
  }
}

TEST_F(TlsTest, ServersTakeVisitorsByHttp) {
  auto [client, server_socket] = sockets();
  std::optional<Outcome> server;
  const auto handshake = Handshake::server(std::move(server_socket), identity, 5s, into(server));
  const Foreign foreign(std::move(client), TLS_client_method(), "http/1.1", TLS1_3_VERSION);
  ASSERT_TRUE(run_until([&] { return !!server; }));
  ASSERT_EQ(server->index(), 0u) << std::get<1>(*server).message;
  EXPECT_TRUE(is_https(*std::get<0>(*server)));
  server.reset();  // the visitor reads to the end
}

TEST_F(TlsTest, HttpWithoutTlsIsToldWhatIsWanted) {
  auto [client, server_socket] = sockets();
  std::optional<Outcome> server;
  const auto handshake = Handshake::server(std::move(server_socket), identity, 5s, into(server));
  asio::write(client, asio::buffer(std::string("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")));
  ASSERT_TRUE(run_until([&] { return !!server; }));
  std::string answer;
  error_code end;
  asio::read(client, asio::dynamic_buffer(answer), end);
  EXPECT_EQ(end, asio::error::eof);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << answer;
  EXPECT_NE(answer.find("speaks TLS"), std::string::npos) << answer;
}

TEST_F(TlsTest, ClientsRefuseOtherProtocolsAndVersions) {
  const Signed other("DNS:a.example");
  const struct {
    int version;
    const char* expected;
  } cases[] = {{TLS1_3_VERSION, "not Paceline 2"}, {TLS1_2_VERSION, "does not speak TLS 1.3"}};
  for (const auto& c : cases) {
    auto [client_socket, server] = sockets();
    std::optional<Outcome> client;
    {
      const auto handshake = Handshake::client(
          std::move(client_socket), trust_in(*other.identity()), "a.example", 1, 5s, into(client));
      const Foreign foreign(std::move(server), TLS_server_method(), "", c.version, &other);
      ASSERT_TRUE(run_until([&] { return !!client; }));
    }
    ASSERT_EQ(client->index(), 1u) << c.expected;
    EXPECT_TRUE(std::get<1>(*client).permanent);
    EXPECT_NE(std::get<1>(*client).message.find(c.expected), std::string::npos)
        << std::get<1>(*client).message;
  }
}

}  // namespace
}  // namespace paceline
