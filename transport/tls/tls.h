// TLS 1.3 for connections (RFC 8446), by OpenSSL: who the server is, and what a client takes for
// proof of it.
//
// Fingerprint: "sha256:" and the SHA-256 of the certificate's public key (SubjectPublicKeyInfo, as
// in RFC 7469), in unpadded base64url, so that it survives a new certificate for the same key and
// fits a URL.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/units.h"
#include "transport/socket/connection.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace paceline {

// In its one normal form. Padding and the plain base64 alphabet are understood too.
qvid::Result<std::string> parse_fingerprint(std::string_view text);

// A server's certificate and private key.
class Identity {
 public:
  // PEM files: the certificate (its chain behind it) and the key. The error says which file and
  // what is wrong with it.
  static qvid::Result<std::shared_ptr<Identity>> load(const std::filesystem::path& certificate,
                                                      const std::filesystem::path& key);
  // Loads what an earlier start left in `folder`, or generates a key (P-256) and a self-signed
  // certificate there: readable by its owner only, written so that an interruption leaves nothing
  // half.
  static qvid::Result<std::shared_ptr<Identity>> load_or_generate(
      const std::filesystem::path& folder);

  ~Identity();
  Identity(const Identity&) = delete;
  Identity& operator=(const Identity&) = delete;

  const std::string& fingerprint() const { return fingerprint_; }
  bool generated() const { return generated_; }  // by this call
  // What an operator should know and nobody is stopped by: the certificate is not valid today
  // (clients that go by the key do not mind), the key can be read by others. Empty: nothing.
  const std::string& warning() const { return warning_; }
  ssl_ctx_st* context() const { return context_; }

 private:
  explicit Identity(ssl_ctx_st* context);  // owned from here on
  ssl_ctx_st* context_;
  std::string fingerprint_;
  std::string warning_;
  bool generated_ = false;
};

// Which servers a client trusts, by the first of these that applies: the fingerprint given; the CA
// file given; the key it remembers of that host and port; a public CA (the system's store) for that
// name, which is remembered: from then on the CA alone decides; else, on first use where that may
// be, the key is remembered and told.
//
// First use is for what no CA vouches for: addresses, `.local` and names without a dot. Elsewhere
// the objection of a CA may be somebody in the middle.
enum class FirstUse { kLocal, kAlways, kNever };

struct TrustOptions {
  std::optional<std::string> fingerprint;
  std::filesystem::path ca_file;      // PEM; empty: the system's
  std::filesystem::path known_hosts;  // the memory; empty: none, and then nothing is trusted on
                                      // first use
  FirstUse first_use = FirstUse::kLocal;
};

// A client's side: options and what makes further connections to the same server cheap (session
// tickets). One for each server; shared by its connections. Thread: the io_context's.
class Trust {
 public:
  static qvid::Result<std::shared_ptr<Trust>> make(TrustOptions options);
  ~Trust();
  Trust(const Trust&) = delete;
  Trust& operator=(const Trust&) = delete;

  struct State;
  State& state() { return *state_; }
  // A sentence where this Trust has remembered a server on first use since the last call.
  std::optional<std::string> take_notice();

 private:
  explicit Trust(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Where a secured connection could not be made.
struct ConnectError {
  // What did not work: all before it did.
  enum class Stage { name, tcp, proxy, tls, protocol, identity };

  std::string message;     // what, where, what to do
  bool permanent = false;  // trying again will not help
  bool untrusted = false;  // the server is not who it should be
  Stage stage = Stage::tls;
};
using OnConnection = std::function<void(std::variant<std::unique_ptr<Connection>, ConnectError>)>;

// TLS over a connected socket, within `timeout`. The callback is called once, from the event loop.
// Destroying the handshake gives it up, and the callback is not called. Nothing but the handshake
// itself is sent to a server that is not trusted.
class Handshake {
 public:
  // `peer`: as in make_plain_connection. A visitor who asks for HTTP/1.1 by ALPN gets a connection
  // too (is_https, tls_connection.h); one by HTTP without TLS is told that it wants TLS.
  static Handshake server(TcpSocket socket, const std::shared_ptr<Identity>& identity,
                          qvid::Duration timeout, OnConnection done, std::string peer = {});
  // `host` and `port` are what the user named: the certificate is checked against them.
  static Handshake client(TcpSocket socket, std::shared_ptr<Trust> trust, const std::string& host,
                          std::uint16_t port, qvid::Duration timeout, OnConnection done);
  Handshake(Handshake&&) noexcept;
  Handshake& operator=(Handshake&&) noexcept;
  ~Handshake();

 private:
  struct Attempt;
  explicit Handshake(std::shared_ptr<Attempt> attempt);
  std::shared_ptr<Attempt> attempt_;
};

}  // namespace paceline
