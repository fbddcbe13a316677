// How a client decides on a server: inside the handshake, before it proves anything of itself.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/tls/tls.h"
#include "transport/tls/tls_handles.h"
#include "transport/tls/tls_known_hosts.h"

namespace paceline {

struct Trust::State {
  enum class Verdict { by_key, by_ca, first_use, refused };
  struct Judgement {
    Verdict verdict;
    std::string refusal;
  };
  // By the rules of TrustOptions. `name` is "host:port"; `ca_objection` is called where it is up to
  // a CA: empty, or what a CA has against the certificate.
  Judgement judge(const std::string& name, const std::string& fingerprint,
                  const std::function<std::string()>& ca_objection) const;

  struct Ticket {
    std::string name;
    bool by_ca;  // the verdict on the certificate; the session holds that certificate
    TlsSessionPtr session;
  };
  void put_ticket(Ticket ticket);
  // The newest for `name` whose certificate is still trusted. The last one is used again and again:
  // a cheap connection is worth more here than one that cannot be linked to the one before.
  std::optional<Ticket> take_ticket(const std::string& name);

  TrustOptions options;
  std::optional<KnownHosts> memory;
  TlsContextPtr context;
  std::vector<Ticket> tickets;  // the newest last
  std::optional<std::string> notice;
  bool ca_remembered = false;  // in this run
};

// One connection's check of its server. Lives as long as the connection: tickets come later.
class ServerCheck {
 public:
  ServerCheck(std::shared_ptr<Trust> trust, const std::string& host, std::uint16_t port);

  // Tells OpenSSL whom to expect, how to check it, and what to resume. False: out of memory.
  bool prepare(SSL* ssl);
  // After the handshake. Remembers the server on first use. Nothing, or why it is refused after
  // all.
  std::optional<std::string> accept(SSL* ssl);

  SSL_CTX* context() const { return trust_->state().context.get(); }
  const std::string& name() const { return name_; }        // "host:port"
  const std::string& refusal() const { return refusal_; }  // not empty: the handshake failed of it

  // For the context's callbacks.
  static int verify(X509_STORE_CTX* store, void*);
  static int keep_session(SSL* ssl, SSL_SESSION* session);

 private:
  bool judge(X509_STORE_CTX* store);

  std::shared_ptr<Trust> trust_;
  std::string host_;
  std::string name_;
  std::string refusal_;
  std::string fingerprint_;
  Trust::State::Verdict verdict_ = Trust::State::Verdict::refused;
  bool accepted_ = false;
};

}  // namespace paceline
