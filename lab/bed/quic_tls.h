// TLS of QUIC's two ends (GnuTLS, which ngtcp2 drives): the server's certificate is made when it is
// started and signed by itself, and the client verifies nothing. For the lab alone.
//
// Thread: that of its end; each end has its own.
#pragma once

#include <gnutls/gnutls.h>

#include <memory>
#include <type_traits>

namespace qvid::lab {

struct GnutlsDeleter {
  void operator()(gnutls_session_t session) const { gnutls_deinit(session); }
  void operator()(gnutls_certificate_credentials_t credentials) const {
    gnutls_certificate_free_credentials(credentials);
  }
};
using QuicTlsSession = std::unique_ptr<std::remove_pointer_t<gnutls_session_t>, GnutlsDeleter>;

class QuicTls {
 public:
  enum class Role { kClient, kServer };

  // Throws std::runtime_error with what GnuTLS says.
  explicit QuicTls(Role role);

  // Of one connection, with this project's protocol name (ALPN). The session uses the credentials:
  // they outlive it.
  QuicTlsSession open() const;

 private:
  Role role_;
  std::unique_ptr<std::remove_pointer_t<gnutls_certificate_credentials_t>, GnutlsDeleter>
      credentials_;
};

}  // namespace qvid::lab
