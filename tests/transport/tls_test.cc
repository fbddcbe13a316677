// TLS on real loopback sockets with one event loop: every wait is bounded, no sleeps.
#include "transport/tls.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "tests/temporary_folder.h"
#include "tests/transport/event_loop.h"
#include "transport/address.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using asio::ip::tcp;
using boost::system::error_code;
using qvid::operator""ms;
using qvid::operator""s;

using Outcome = std::variant<std::unique_ptr<Connection>, ConnectError>;

void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
std::string get(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}
mode_t mode_of(const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
}

// A certificate with its key, signed by itself or by `issuer`.
struct Signed {
  Signed(const std::string& names, const Signed* issuer = nullptr, long days = 10,
         const char* basic = "CA:TRUE")
      : key(EVP_EC_gen("P-256")), certificate(X509_new()) {
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), issuer ? 2 : 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -100 * 86400);
    X509_gmtime_adj(X509_getm_notAfter(certificate), days * 86400);
    X509_set_pubkey(certificate, key);
    const auto* name = reinterpret_cast<const unsigned char*>(issuer ? "leaf" : "root");
    X509_NAME* subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0);
    X509_set_issuer_name(certificate,
                         issuer ? X509_get_subject_name(issuer->certificate) : subject);
    extend(NID_basic_constraints, basic);
    if (!names.empty()) extend(NID_subject_alt_name, names.c_str());
    X509_sign(certificate, issuer ? issuer->key : key, EVP_sha256());
  }
  Signed(const Signed&) = delete;
  Signed& operator=(const Signed&) = delete;
  ~Signed() {
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  void extend(int which, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, which, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
  template <class Write>
  static std::string pem(Write write) {
    BIO* bio = BIO_new(BIO_s_mem());
    write(bio);
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio, &text);
    std::string copy(text, static_cast<std::size_t>(size));
    BIO_free(bio);
    return copy;
  }
  std::string certificate_pem() const {
    return pem([this](BIO* bio) { PEM_write_bio_X509(bio, certificate); });
  }
  std::string key_pem(const char* passphrase = nullptr) const {
    return pem([&](BIO* bio) {
      PEM_write_bio_PrivateKey(bio, key, passphrase ? EVP_aes_128_cbc() : nullptr, nullptr, 0,
                               nullptr, const_cast<char*>(passphrase));
    });
  }
  std::shared_ptr<Identity> identity() const {
    qvid::TemporaryFolder folder;
    put(folder / "c", certificate_pem());
    put(folder / "k", key_pem());
    auto loaded = Identity::load(folder / "c", folder / "k");
    EXPECT_TRUE(loaded) << loaded.error().message;
    return *loaded;
  }
  EVP_PKEY* key;
  X509* certificate;
};

// --- the server's identity

TEST(IdentityTest, LoadsACertificateAndItsKey) {
  const qvid::TemporaryFolder folder;
  const Signed root("");
  const Signed leaf("DNS:a.example", &root);
  put(folder / "c", leaf.certificate_pem() + root.certificate_pem());
  put(folder / "k", leaf.key_pem());
  fs::permissions(folder / "k", fs::perms::owner_read | fs::perms::owner_write);
  const auto identity = Identity::load(folder / "c", folder / "k");
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_EQ((*identity)->warning(), "");
  EXPECT_FALSE((*identity)->generated());
  const auto fingerprint = parse_fingerprint((*identity)->fingerprint());
  ASSERT_TRUE(fingerprint);
  EXPECT_EQ(*fingerprint, (*identity)->fingerprint());
}

TEST(IdentityTest, SaysWhatIsWrongWithAFile) {
  const qvid::TemporaryFolder folder;
  const Signed one("");
  const Signed other("");
  const auto c = folder / "c.pem";
  const auto k = folder / "k.pem";
  std::string broken = one.certificate_pem();
  broken.replace(broken.find('M'), 4, "AAAA");
  const struct {
    std::string certificate, key;
    const char* expected;
  } cases[] = {
      {"", one.key_pem(), "holds no certificate in PEM form"},
      {one.key_pem(), one.certificate_pem(), "holds no certificate in PEM form"},
      {broken, one.key_pem(), "c.pem cannot be read"},
      {one.certificate_pem(), "rubbish", "holds no private key in PEM form"},
      {one.certificate_pem(), one.certificate_pem(), "holds no private key in PEM form"},
      {one.certificate_pem(), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
       "k.pem cannot be read"},
      {one.certificate_pem(), one.key_pem("secret"), "has a passphrase"},
      {one.certificate_pem(), other.key_pem(), "is not that of"},
      {std::string(2 << 20, 'x'), one.key_pem(), "larger than 1 MiB"},
  };
  for (const auto& wrong : cases) {
    put(c, wrong.certificate);
    put(k, wrong.key);
    const auto identity = Identity::load(c, k);
    ASSERT_FALSE(identity) << wrong.expected;
    EXPECT_NE(identity.error().message.find(wrong.expected), std::string::npos)
        << identity.error().message;
    EXPECT_NE(identity.error().message.find(folder.path().string()), std::string::npos);
  }
  put(c, one.certificate_pem());
  put(k, one.key_pem());
  const struct {
    fs::path certificate, key;
    const char* expected;
  } paths[] = {{folder / "none", k, "there is no certificate file"},
               {c, folder / "none", "there is no key file"},
               {folder.path(), k, "Is a directory"},
               {c / "below", k, "Not a directory"}};
  for (const auto& wrong : paths) {
    const auto identity = Identity::load(wrong.certificate, wrong.key);
    ASSERT_FALSE(identity) << wrong.expected;
    EXPECT_NE(identity.error().message.find(wrong.expected), std::string::npos)
        << identity.error().message;
  }
  if (::geteuid() != 0) {
    fs::permissions(k, fs::perms::none);
    const auto identity = Identity::load(c, k);
    ASSERT_FALSE(identity);
    EXPECT_NE(identity.error().message.find("Permission denied"), std::string::npos);
  }
}

TEST(IdentityTest, WarnsOfAnExpiredCertificateAndOfAKeyThatAllCanRead) {
  const qvid::TemporaryFolder folder;
  const Signed expired("", nullptr, -1);
  put(folder / "c", expired.certificate_pem());
  put(folder / "k", expired.key_pem());
  ::chmod((folder / "k").c_str(), 0644);
  const auto identity = Identity::load(folder / "c", folder / "k");
  ASSERT_TRUE(identity);
  EXPECT_NE((*identity)->warning().find("has expired"), std::string::npos);
  EXPECT_NE((*identity)->warning().find("chmod 600"), std::string::npos);
}

TEST(IdentityTest, GeneratesOnceAndLoadsAfterwards) {
  const qvid::TemporaryFolder folder;
  const auto home = folder / "below" / "identity";
  const auto first = Identity::load_or_generate(home);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE((*first)->generated());
  EXPECT_EQ((*first)->warning(), "");
  const auto second = Identity::load_or_generate(home);
  ASSERT_TRUE(second);
  EXPECT_FALSE((*second)->generated());
  EXPECT_EQ((*first)->fingerprint(), (*second)->fingerprint());
  EXPECT_EQ(mode_of(home), 0700u);
  EXPECT_EQ(mode_of(home / "key.pem"), 0600u);
  EXPECT_EQ(mode_of(home / "certificate.pem"), 0600u);

  // As an interruption leaves it: the key, and rubbish that was never finished.
  fs::remove(home / "certificate.pem");
  put(home / "certificate.pem.tmp", "half");
  const auto third = Identity::load_or_generate(home);
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ((*first)->fingerprint(), (*third)->fingerprint());
  EXPECT_FALSE(fs::exists(home / "certificate.pem.tmp"));

  fs::remove(home / "key.pem");
  const auto without = Identity::load_or_generate(home);
  ASSERT_FALSE(without);
  EXPECT_NE(without.error().message.find("no key"), std::string::npos);

  put(folder / "file", "");
  EXPECT_FALSE(Identity::load_or_generate(folder / "file"));
  EXPECT_FALSE(Identity::load_or_generate(folder / "file" / "below"));
}

TEST(IdentityTest, TwoThatStartAtOnceGetTheSame) {
  for (int round = 0; round < 5; ++round) {
    const qvid::TemporaryFolder folder;
    std::array<std::string, 4> fingerprints;
    std::array<bool, 4> generated{};
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < fingerprints.size(); ++i) {
        threads.emplace_back([&, i] {
          const auto identity = Identity::load_or_generate(folder / "identity");
          if (!identity) return;
          fingerprints[i] = (*identity)->fingerprint();
          generated[i] = (*identity)->generated();
        });
      }
    }
    EXPECT_FALSE(fingerprints[0].empty());
    for (const auto& f : fingerprints) EXPECT_EQ(f, fingerprints[0]);
    EXPECT_EQ(std::count(generated.begin(), generated.end(), true), 1);
  }
}

TEST(FingerprintTest, IsReadInItsFormsAndNoOther) {
  const std::string normal = "sha256:" + std::string(20, '-') + std::string(21, '_') + "xA";
  ASSERT_TRUE(parse_fingerprint(normal)) << parse_fingerprint(normal).error().message;
  EXPECT_EQ(*parse_fingerprint(normal), normal);
  std::string plain = normal + "=";
  std::replace(plain.begin() + 7, plain.end(), '-', '+');
  std::replace(plain.begin() + 7, plain.end(), '_', '/');
  ASSERT_TRUE(parse_fingerprint(plain));
  EXPECT_EQ(*parse_fingerprint(plain), normal);

  const std::string digits = normal.substr(7);
  for (const std::string& bad :
       {std::string(), std::string("sha256:"), digits, "sha1:" + digits, "SHA256:" + digits,
        "sha256:" + digits.substr(1), normal + "A", normal + "==", normal + " ", " " + normal,
        "sha256: " + digits.substr(1), "sha256:\n" + digits.substr(1),
        "sha256:" + std::string(43, '='), "sha256:" + digits.substr(0, 42) + "B",
        "sha256:" + digits.substr(0, 42) + '\0', "sha256:" + digits.substr(0, 42) + "\xff",
        std::string(1 << 20, 'x')}) {
    EXPECT_FALSE(parse_fingerprint(bad)) << bad.substr(0, 80);
  }
}

// --- connections

struct Network : EventLoop {
  std::pair<TcpSocket, TcpSocket> sockets() {
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    TcpSocket client(io);
    client.connect(acceptor.local_endpoint());
    TcpSocket server = acceptor.accept();
    return {std::move(client), std::move(server)};
  }
  OnConnection into(std::optional<Outcome>& outcome) {
    return [&outcome](Outcome o) {
      EXPECT_FALSE(outcome) << "called twice";
      outcome = std::move(o);
    };
  }
  static std::shared_ptr<Trust> trust_in(const TrustOptions& options) {
    auto trust = Trust::make(options);
    EXPECT_TRUE(trust) << trust.error().message;
    return trust ? *trust : nullptr;
  }
  static std::shared_ptr<Trust> trust_in(const Identity& server) {
    return trust_in({.fingerprint = server.fingerprint(), .ca_file = {}, .known_hosts = {}});
  }
  // Both ends of one connection; an end that failed left its error.
  struct Ends {
    std::unique_ptr<Connection> client, server;
    ConnectError client_error, server_error;
  };
  Ends connect(const std::shared_ptr<Trust>& trust, const std::shared_ptr<Identity>& identity,
               const std::string& host = "a.example", std::uint16_t port = 4433) {
    auto [c, s] = sockets();
    std::optional<Outcome> client, server;
    const auto at_server = Handshake::server(std::move(s), identity, 5s, into(server));
    const auto at_client = Handshake::client(std::move(c), trust, host, port, 5s, into(client));
    EXPECT_FALSE(client || server) << "called from inside";
    EXPECT_TRUE(run_until([&] { return client && server; }));
    Ends ends;
    take(client, ends.client, ends.client_error);
    take(server, ends.server, ends.server_error);
    return ends;
  }
  static void take(std::optional<Outcome>& outcome, std::unique_ptr<Connection>& connection,
                   ConnectError& error) {
    if (!outcome) return;
    if (auto* made = std::get_if<0>(&*outcome)) connection = std::move(*made);
    if (auto* failed = std::get_if<1>(&*outcome)) error = *failed;
  }
  // One byte from server to client, which brings the tickets too.
  void greet(Ends& ends) {
    ASSERT_TRUE(ends.client && ends.server)
        << ends.client_error.message << ends.server_error.message;
    std::byte sent{'x'}, got{};
    bool arrived = false;
    ends.server->write({asio::buffer(&sent, 1)}, [](auto& e, auto) { EXPECT_FALSE(e); });
    ends.client->read_some({&got, 1}, [&](auto& e, auto n) {
      EXPECT_FALSE(e) << e.message();
      arrived = n == 1 && got == sent;
    });
    EXPECT_TRUE(run_until([&] { return arrived; }));
  }
  void expect_refused(const std::shared_ptr<Trust>& trust,
                      const std::shared_ptr<Identity>& identity,
                      std::initializer_list<std::string> words,
                      const std::string& host = "a.example") {
    const Ends ends = connect(trust, identity, host);
    EXPECT_FALSE(ends.client);
    EXPECT_TRUE(ends.client_error.permanent);
    for (const auto& word : words) {
      EXPECT_NE(ends.client_error.message.find(word), std::string::npos)
          << word << " is not in: " << ends.client_error.message;
    }
    EXPECT_FALSE(ends.server);
    EXPECT_FALSE(ends.server_error.permanent);
    EXPECT_NE(ends.server_error.message.find("does not trust"), std::string::npos)
        << ends.server_error.message;
  }
};

struct TlsTest : testing::Test, Network {
  qvid::TemporaryFolder folder;
  Signed root{""};
  std::shared_ptr<Identity> identity = Signed("DNS:a.example,IP:127.0.0.1", &root).identity();
  std::shared_ptr<Identity> impostor = Signed("DNS:a.example").identity();

  // Both ends of a connection, with TLS or plain.
  Ends connected(bool tls) {
    if (tls) return connect(trust_in(*identity), identity);
    auto [c, s] = sockets();
    Ends ends;
    ends.client = make_plain_connection(std::move(c));
    ends.server = make_plain_connection(std::move(s));
    return ends;
  }
};

TEST_F(TlsTest, ConnectsWithTls13) {
  Ends ends = connect(trust_in(*identity), identity);
  greet(ends);
  EXPECT_TRUE(ends.client->security().starts_with("TLSv1.3 TLS_")) << ends.client->security();
  EXPECT_EQ(ends.client->security(), ends.server->security());
  EXPECT_TRUE(ends.client->peer().starts_with("127.0.0.1:"));
  EXPECT_TRUE(ends.client->is_open());
  EXPECT_GE(ends.client->native_handle(), 0);
}

// Writes all of `data` in batches of small and large pieces, then ends.
struct Sender {
  Sender(Connection& to, std::uint32_t seed, std::size_t size) : connection(to), random(seed) {
    data.resize(size);
    for (auto& b : data) b = static_cast<std::byte>(random());
  }
  void go() {
    if (sent == data.size()) return connection.shut_down();
    std::vector<asio::const_buffer> buffers;
    std::size_t total = 0;
    for (auto pieces = random() % 70; pieces-- > 0;) {
      const std::size_t limit = random() % 4 == 0 ? 40'000 : 300;
      const std::size_t size = std::min<std::size_t>(random() % limit, data.size() - sent);
      buffers.emplace_back(data.data() + sent, size);
      sent += size;
      total += size;
    }
    connection.write(buffers, [this, total](const error_code& e, std::size_t n) {
      EXPECT_FALSE(e) << e.message();
      EXPECT_EQ(n, total);
      if (!e) go();
    });
  }
  Connection& connection;
  std::mt19937 random;
  std::vector<std::byte> data;
  std::size_t sent = 0;
};
struct Receiver {
  Receiver(Connection& from, std::uint32_t seed) : connection(from), random(seed) {}
  void go() {
    piece.resize(random() % 50'000 + 1);
    connection.read_some(piece, [this](const error_code& e, std::size_t n) {
      got.insert(got.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(n));
      if (e) {
        end = e;
      } else {
        EXPECT_GT(n, 0u);
        go();
      }
    });
  }
  Connection& connection;
  std::mt19937 random;
  std::vector<std::byte> piece, got;
  error_code end;
};

void exchange(Network& test, Connection& one, Connection& other) {
  constexpr std::size_t kSize = 6'000'000;
  Sender a(one, 1, kSize), b(other, 2, kSize / 2);
  Receiver at_a(one, 3), at_b(other, 4);
  at_a.go();
  at_b.go();
  a.go();
  b.go();
  EXPECT_TRUE(test.run_until([&] { return at_a.end && at_b.end; }));
  EXPECT_EQ(at_a.end, asio::error::eof) << at_a.end.message();
  EXPECT_EQ(at_b.end, asio::error::eof) << at_b.end.message();
  EXPECT_TRUE(at_b.got == a.data);
  EXPECT_TRUE(at_a.got == b.data);
}

TEST_F(TlsTest, CarriesMuchBothWaysAtOnce) {
  Ends ends = connect(trust_in(*identity), identity);
  ASSERT_TRUE(ends.client && ends.server);
  exchange(*this, *ends.client, *ends.server);
}

TEST_F(TlsTest, PlainConnectionsCarryMuchBothWaysAtOnce) {
  auto [c, s] = sockets();
  const auto client = make_plain_connection(std::move(c));
  const auto server = make_plain_connection(std::move(s));
  EXPECT_EQ(client->security(), "none");
  EXPECT_TRUE(server->peer().starts_with("127.0.0.1:"));
  exchange(*this, *client, *server);
}

// The end of what is written while the end is asked for still arrives.
TEST_F(TlsTest, ShutDownWaitsForTheWriteUnderWay) {
  for (const bool tls : {true, false}) {
    Ends ends = connected(tls);
    const std::vector<std::byte> much(8'000'000);
    Receiver receiver(*ends.server, 1);
    ends.client->write({asio::buffer(much)}, [](auto& e, auto) { EXPECT_FALSE(e); });
    ends.client->shut_down();
    ends.client->shut_down();
    receiver.go();
    EXPECT_TRUE(run_until([&] { return !!receiver.end; }));
    EXPECT_EQ(receiver.end, asio::error::eof);
    EXPECT_EQ(receiver.got.size(), much.size());
  }
}

TEST_F(TlsTest, WhatTheSocketTakesAtOnceNeedsNoTurnOfTheLoop) {
  for (const bool tls : {true, false}) {
    Ends ends = connected(tls);
    Receiver receiver(*ends.server, 1);
    std::vector<std::byte> little(3'000, std::byte{1});
    const auto never = [](auto&, auto) { ADD_FAILURE() << "called"; };
    EXPECT_TRUE(ends.client->write_now({asio::buffer(little)}, never));
    little.assign(little.size(), std::byte{2});  // no longer needed
    // More than any socket takes; and the buffers are many.
    std::vector<std::byte> much(16'000'000, std::byte{3});
    std::vector<asio::const_buffer> pieces;
    for (std::size_t at = 0; at < much.size(); at += 100'000) {
      pieces.push_back(asio::buffer(much.data() + at, 100'000));
    }
    bool written = false;
    EXPECT_FALSE(ends.client->write_now(pieces, [&](auto& e, auto) { written = !e; }));
    EXPECT_FALSE(written) << "called from inside";
    receiver.go();
    EXPECT_TRUE(run_until([&] { return written; }));
    ends.client->shut_down();
    EXPECT_TRUE(run_until([&] { return !!receiver.end; }));
    EXPECT_EQ(receiver.end, asio::error::eof);
    std::vector<std::byte> all(3'000, std::byte{1});
    all.insert(all.end(), much.begin(), much.end());
    EXPECT_TRUE(receiver.got == all);
  }
}

TEST_F(TlsTest, NothingAtAllIsWrittenAtOnce) {
  Ends ends = connect(trust_in(*identity), identity);
  greet(ends);
  bool written = false;
  ends.client->write({}, [&](auto& e, auto n) { written = !e && n == 0; });
  EXPECT_FALSE(written);
  EXPECT_TRUE(run_until([&] { return written; }));
}

TEST_F(TlsTest, ACutConnectionIsItsEnd) {
  Ends ends = connect(trust_in(*identity), identity);
  greet(ends);
  Receiver receiver(*ends.client, 1);
  receiver.go();
  ends.server->close(false);
  EXPECT_TRUE(run_until([&] { return !!receiver.end; }));
  EXPECT_EQ(receiver.end, asio::error::eof) << receiver.end.message();
}

TEST_F(TlsTest, AbortResetsThePeer) {
  for (const bool tls : {true, false}) {
    Ends ends = connected(tls);
    if (tls) greet(ends);
    Receiver receiver(*ends.client, 1);
    receiver.go();
    ends.server->close(true);
    EXPECT_FALSE(ends.server->is_open());
    EXPECT_TRUE(run_until([&] { return !!receiver.end; }));
    EXPECT_EQ(receiver.end, asio::error::connection_reset) << receiver.end.message();
  }
}

TEST_F(TlsTest, AForgedRecordEndsIt) {
  auto [c, s] = sockets();
  std::optional<Outcome> client, server;
  const auto at_server = Handshake::server(std::move(s), identity, 5s, into(server));
  const int raw = ::dup(c.native_handle());
  const auto at_client =
      Handshake::client(std::move(c), trust_in(*identity), "a.example", 1, 5s, into(client));
  ASSERT_TRUE(run_until([&] { return client && server; }));
  Receiver receiver(*std::get<0>(*server), 1);
  receiver.go();
  const std::string forged = std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x');
  EXPECT_EQ(::write(raw, forged.data(), forged.size()), 37);
  ::close(raw);
  EXPECT_TRUE(run_until([&] { return !!receiver.end; }));
  EXPECT_NE(receiver.end, asio::error::eof);
  EXPECT_FALSE(receiver.end.message().empty());
}

// --- no handler after the end

TEST_F(TlsTest, NoHandlerIsCalledAfterCloseOrDestruction) {
  for (const bool tls : {true, false}) {
    for (const bool destroy : {true, false}) {
      for (const bool complete : {true, false}) {  // have completions on the queue already
        Ends ends = connected(tls);
        if (tls) greet(ends);
        const auto never = [](const error_code&, std::size_t) { ADD_FAILURE() << "called"; };
        auto into_this = std::make_unique<std::vector<std::byte>>(100);
        auto from_this = std::make_unique<std::vector<std::byte>>(complete ? 100 : 16'000'000);
        if (complete) {
          ends.server->write({asio::buffer(*from_this)}, [](auto&, auto) {});
          drain();
        }
        ends.client->read_some(*into_this, never);
        ends.client->write({asio::buffer(*from_this)}, never);
        if (destroy) {
          ends.client.reset();
        } else {
          ends.client->close(false);
          ends.client->close(true);
          ends.client->shut_down();
          EXPECT_FALSE(ends.client->is_open());
        }
        into_this.reset();
        from_this.reset();
        if (ends.client) {
          std::byte one{};
          ends.client->read_some({&one, 1}, never);
          ends.client->write({asio::buffer(&one, 1)}, never);
        }
        drain();
      }
    }
  }
}

TEST_F(TlsTest, AHandlerMayDestroyItsConnection) {
  Ends ends = connect(trust_in(*identity), identity);
  greet(ends);
  std::byte one{};
  bool called = false;
  ends.client->read_some({&one, 1}, [&](auto&, auto) {
    ends.client.reset();
    called = true;
  });
  ends.server->write({asio::buffer(&one, 1)}, [&](auto&, auto) { ends.server.reset(); });
  EXPECT_TRUE(run_until([&] { return called && !ends.server; }));
}

TEST_F(TlsTest, AHandshakeThatIsGivenUpCallsNobody) {
  const auto never = [](Outcome) { ADD_FAILURE() << "called"; };
  const auto trust = trust_in(*identity);
  for (int turns = 0; turns < 4; ++turns) {  // given up at every stage but the last
    auto [c, s] = sockets();
    const auto server = Handshake::server(std::move(s), identity, 5s, [](Outcome) {});
    std::optional<Handshake> client =
        Handshake::client(std::move(c), trust, "a.example", 1, 5s, never);
    for (int i = 0; i < turns; ++i) {
      io.restart();
      io.run_one_for(5s);
    }
    client.reset();
    drain();
  }
  auto [c, s] = sockets();
  Handshake one = Handshake::server(std::move(s), identity, 5s, never);
  one = Handshake::client(std::move(c), trust, "a.example", 1, 5s, never);
  Handshake other = std::move(one);
}

// The loop ends with reads under way whose handlers own the connection: nothing leaks.
TEST_F(TlsTest, TheLoopMayBeDestroyedFirst) {
  Network other;
  Ends ends = other.connect(trust_in(*identity), identity);
  ASSERT_TRUE(ends.client && ends.server);
  auto [c, s] = other.sockets();
  for (auto& connection : {&ends.client, &ends.server}) {
    auto owned = std::make_shared<std::unique_ptr<Connection>>(std::move(*connection));
    auto byte = std::make_shared<std::byte>();
    (*owned)->read_some({byte.get(), 1}, [owned, byte](auto&, auto) { ADD_FAILURE(); });
  }
  auto plain = std::make_shared<std::unique_ptr<Connection>>(make_plain_connection(std::move(c)));
  auto byte = std::make_shared<std::byte>();
  (*plain)->read_some({byte.get(), 1}, [plain, byte](auto&, auto) { ADD_FAILURE(); });
}

// --- whom a client trusts

TEST_F(TlsTest, AGivenFingerprintDecidesAlone) {
  Ends ends = connect(trust_in(*identity), identity, "b.example");
  greet(ends);
  TrustOptions options{
      .fingerprint = impostor->fingerprint(), .ca_file = {}, .known_hosts = folder / "known"};
  expect_refused(trust_in(options), identity,
                 {"not the one you named", identity->fingerprint(), impostor->fingerprint()});
  EXPECT_FALSE(fs::exists(folder / "known"));
  options.fingerprint = "sha256:x";
  EXPECT_FALSE(Trust::make(options));
}

TEST_F(TlsTest, AGivenCaDecidesAlone) {
  const auto ca = folder / "ca.pem";
  put(ca, root.certificate_pem());
  const auto trust = trust_in({.fingerprint = {}, .ca_file = ca, .known_hosts = folder / "k"});
  Ends ends = connect(trust, identity);
  greet(ends);
  ends = connect(trust, identity, "127.0.0.1");
  greet(ends);
  ends = connect(trust, identity, "A.Example.");
  greet(ends);
  EXPECT_FALSE(trust->take_notice());
  expect_refused(trust, identity, {"not valid", "hostname mismatch", identity->fingerprint()},
                 "b.example");
  expect_refused(trust, identity, {"not valid", "IP address mismatch"}, "127.0.0.2");
  expect_refused(trust, impostor, {"not valid", "self-signed", impostor->fingerprint()});
  const auto expired = Signed("DNS:a.example", &root, -1).identity();
  expect_refused(trust, expired, {"not valid", "expired"});
  EXPECT_FALSE(fs::exists(folder / "k"));

  EXPECT_FALSE(Trust::make({.fingerprint = {}, .ca_file = folder / "none", .known_hosts = {}}));
  put(ca, "rubbish");
  const auto rubbish = Trust::make({.fingerprint = {}, .ca_file = ca, .known_hosts = {}});
  ASSERT_FALSE(rubbish);
  EXPECT_NE(rubbish.error().message.find("holds no certificate"), std::string::npos);
}

TEST_F(TlsTest, ACertificateMayBeItsOwnCa) {
  const Signed own("DNS:a.example", nullptr, 10, "CA:FALSE");
  put(folder / "ca", own.certificate_pem());
  Ends ends = connect(trust_in({.fingerprint = {}, .ca_file = folder / "ca", .known_hosts = {}}),
                      own.identity());
  greet(ends);
}

TEST_F(TlsTest, RemembersOnFirstUseAndRefusesAChangedKey) {
  const auto known = folder / "below" / "known_hosts";
  const TrustOptions options{.fingerprint = {}, .ca_file = {}, .known_hosts = known};
  const auto trust = trust_in(options);
  Ends ends = connect(trust, identity, "A.example");
  greet(ends);
  const auto notice = trust->take_notice();
  ASSERT_TRUE(notice);
  EXPECT_NE(notice->find(identity->fingerprint()), std::string::npos) << *notice;
  EXPECT_FALSE(trust->take_notice());
  EXPECT_NE(get(known).find("a.example:4433 " + identity->fingerprint() + "\n"), std::string::npos);
  EXPECT_EQ(mode_of(known), 0600u);
  EXPECT_EQ(mode_of(known.parent_path()), 0700u);

  const auto later = trust_in(options);
  ends = connect(later, identity);
  greet(ends);
  EXPECT_FALSE(later->take_notice());
  const auto text = get(known);
  expect_refused(later, impostor,
                 {"has changed", identity->fingerprint(), impostor->fingerprint(), "line 3 of ",
                  known.string(), "reinstalled", "in the middle", "#" + impostor->fingerprint()});
  EXPECT_EQ(get(known), text);

  // Another port is another server; and it is the same file.
  ends = connect(later, impostor, "a.example", 4434);
  greet(ends);
  EXPECT_TRUE(later->take_notice());
  EXPECT_EQ(get(known), text + "a.example:4434 " + impostor->fingerprint() + "\n");
}

TEST_F(TlsTest, TwoFirstUsesAtOnceRememberOneKey) {
  const auto known = folder / "known";
  const auto trust = trust_in({.fingerprint = {}, .ca_file = {}, .known_hosts = known});
  std::array<std::optional<Outcome>, 4> outcomes;
  std::vector<Handshake> handshakes;
  for (std::size_t i = 0; i < 2; ++i) {
    auto [c, s] = sockets();
    handshakes.push_back(
        Handshake::server(std::move(s), i == 0 ? identity : impostor, 5s, into(outcomes[i])));
    handshakes.push_back(
        Handshake::client(std::move(c), trust, "a.example", 1, 5s, into(outcomes[i + 2])));
  }
  EXPECT_TRUE(run_until([&] { return outcomes[2] && outcomes[3]; }));
  int accepted = 0;
  for (std::size_t i = 2; i < 4; ++i) {
    const auto* refused = std::get_if<1>(&*outcomes[i]);
    EXPECT_TRUE(!refused || refused->permanent);
    if (!refused) ++accepted;
  }
  EXPECT_EQ(accepted, 1);
}

TEST_F(TlsTest, TwoThatRememberAtOnceLoseNoLine) {
  const auto known = folder / "known";
  const auto remember = [&](std::uint16_t first) {
    Network other;
    for (std::uint16_t port = first; port < first + 10; ++port) {
      const auto ends =
          other.connect(trust_in({.fingerprint = {}, .ca_file = {}, .known_hosts = known}),
                        identity, "a.example", port);
      EXPECT_TRUE(ends.client) << ends.client_error.message;
    }
  };
  {
    std::jthread one(remember, std::uint16_t{100});
    std::jthread two(remember, std::uint16_t{200});
  }
  const auto text = get(known);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 22);
}

TEST_F(TlsTest, KeepsWhatItDoesNotUnderstand) {
  const auto known = folder / "known";
  const std::string rubbish = "\n\n  \nrubbish\na.example:4433x " + impostor->fingerprint() +
                              "\n# a.example:4433 " + impostor->fingerprint() + "\n\xff\xfe" +
                              std::string(1, '\0') + "\r\nb.example:4433 sha256:short\nno newline";
  put(known, rubbish);
  const auto trust = trust_in({.fingerprint = {}, .ca_file = {}, .known_hosts = known});
  Ends ends = connect(trust, identity);
  greet(ends);
  EXPECT_EQ(get(known), rubbish + "\na.example:4433 " + identity->fingerprint() + "\n");
  expect_refused(trust, identity, {"cannot be read", "line 8 of", identity->fingerprint()},
                 "b.example");

  // Any of several keys will do; white space and Windows' line ends are no matter.
  put(known, "a.example:4433 " + impostor->fingerprint() + "\r\n \ta.example:4433\t " +
                 identity->fingerprint() + " \r\n");
  for (const auto& server : {identity, impostor}) {
    ends = connect(trust, server);
    greet(ends);
  }
}

TEST_F(TlsTest, AMemoryThatCannotBeUsedTrustsNobody) {
  const auto known = folder / "known";
  put(known, std::string(2 << 20, '#'));
  const TrustOptions options{.fingerprint = {}, .ca_file = {}, .known_hosts = known};
  const auto at_once = Trust::make(options);
  ASSERT_FALSE(at_once);
  EXPECT_NE(at_once.error().message.find("larger than 1 MiB"), std::string::npos);
  fs::remove(known);
  const auto trust = trust_in(options);
  put(known, std::string(2 << 20, '#'));
  expect_refused(trust, identity, {"cannot be checked", "larger than 1 MiB"});
  fs::remove(known);
  fs::create_directory(folder / "known.tmp");  // nothing can be written
  put(folder / "known.tmp" / "x", "");
  const Ends ends = connect(trust, identity);
  EXPECT_FALSE(ends.client);
  EXPECT_TRUE(ends.client_error.permanent);
  EXPECT_NE(ends.client_error.message.find("cannot be remembered"), std::string::npos);
}

TEST_F(TlsTest, AnUnknownServerIsRefusedWithoutMemory) {
  const auto trust = trust_in(TrustOptions{});
  expect_refused(trust, identity,
                 {"a.example:4433", "unknown", "#" + identity->fingerprint(), "URL"});
}

TEST_F(TlsTest, APublicCaVouchesForANameAndNoOther) {
  put(folder / "store", root.certificate_pem());
  ASSERT_EQ(::setenv("SSL_CERT_FILE", (folder / "store").c_str(), 1), 0);
  const auto known = folder / "known";
  const auto trust = trust_in({.fingerprint = {}, .ca_file = {}, .known_hosts = known});
  const auto without = trust_in(TrustOptions{});
  ::unsetenv("SSL_CERT_FILE");
  Ends ends = connect(trust, identity);
  greet(ends);
  EXPECT_FALSE(trust->take_notice());
  EXPECT_FALSE(fs::exists(known));
  ends = connect(without, identity);
  greet(ends);
  ends = connect(without, identity);  // resumed: the CA's word still holds
  greet(ends);
  EXPECT_NE(ends.client->security().find("resumed"), std::string::npos);
  expect_refused(without, identity, {"unknown", "hostname mismatch"}, "b.example");
  ends = connect(trust, identity, "b.example");
  greet(ends);
  EXPECT_TRUE(trust->take_notice());
  // What is remembered comes before the CA.
  put(known, "a.example:4433 " + impostor->fingerprint() + "\n");
  expect_refused(trust, identity, {"has changed"});
}

// --- resumption

TEST_F(TlsTest, FurtherConnectionsAreResumed) {
  const auto known = folder / "known";
  const auto trust = trust_in({.fingerprint = {}, .ca_file = {}, .known_hosts = known});
  std::vector<Ends> open;
  for (int i = 0; i < 8; ++i) {
    Ends ends = connect(trust, identity);
    greet(ends);
    const bool resumed = ends.client->security().find("resumed") != std::string::npos;
    EXPECT_EQ(resumed, i > 0);
    if (i == 2) ends.client->close(true);  // a connection that broke spoils no ticket
    if (i == 3) ends.server.reset();
    open.push_back(std::move(ends));
  }
  // Not for another port; not for another server at this one.
  Ends ends = connect(trust, identity, "a.example", 1);
  greet(ends);
  EXPECT_EQ(ends.client->security().find("resumed"), std::string::npos);
  expect_refused(trust, impostor, {"has changed"});
  // A server that was restarted has other keys for its tickets.
  ends = connect(trust, identity);
  greet(ends);
}

TEST_F(TlsTest, ATicketIsWorthNothingOnceItsKeyIsNotTrusted) {
  const auto known = folder / "known";
  const auto trust = trust_in({.fingerprint = {}, .ca_file = {}, .known_hosts = known});
  Ends ends = connect(trust, identity);
  greet(ends);
  put(known, "a.example:4433 " + impostor->fingerprint() + "\n");
  expect_refused(trust, identity, {"has changed"});
  fs::remove(known);
  ends = connect(trust, identity);
  greet(ends);
  EXPECT_EQ(ends.client->security().find("resumed"), std::string::npos);
  EXPECT_TRUE(trust->take_notice());
}

// --- peers that do not play along

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
