#include "lab/bed/quic_tls.h"

#include <gnutls/x509.h>
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>

#include <array>
#include <ctime>
#include <stdexcept>
#include <string>

namespace qvid::lab {
namespace {

// RFC 9001 section 4.2: TLS 1.3 alone, and section 8.4: without its disguise as 1.2.
constexpr const char* kQuicPriority =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305:"
    "%DISABLE_TLS13_COMPAT_MODE";
constexpr std::time_t kDay = 24 * 60 * 60;  // s

void require_gnutls(int code, const char* what) {
  if (code < 0) throw std::runtime_error(std::string(what) + ": " + gnutls_strerror(code));
}

struct X509Deleter {
  void operator()(gnutls_x509_privkey_t key) const { gnutls_x509_privkey_deinit(key); }
  void operator()(gnutls_x509_crt_t certificate) const { gnutls_x509_crt_deinit(certificate); }
};

// P-256, valid from yesterday to tomorrow.
void make_certificate(gnutls_certificate_credentials_t credentials) {
  gnutls_x509_privkey_t raw_key = nullptr;
  require_gnutls(gnutls_x509_privkey_init(&raw_key), "no key");
  const std::unique_ptr<std::remove_pointer_t<gnutls_x509_privkey_t>, X509Deleter> key(raw_key);
  require_gnutls(gnutls_x509_privkey_generate(
                     key.get(), GNUTLS_PK_ECDSA,
                     static_cast<unsigned>(GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1)), 0),
                 "no key");

  gnutls_x509_crt_t raw = nullptr;
  require_gnutls(gnutls_x509_crt_init(&raw), "no certificate");
  const std::unique_ptr<std::remove_pointer_t<gnutls_x509_crt_t>, X509Deleter> certificate(raw);
  const std::array<unsigned char, 1> serial = {1};
  const std::time_t now = std::time(nullptr);
  const std::string name = "CN=qvid-lab";
  for (const int code :
       {gnutls_x509_crt_set_version(raw, 3),
        gnutls_x509_crt_set_serial(raw, serial.data(), serial.size()),
        gnutls_x509_crt_set_activation_time(raw, now - kDay),
        gnutls_x509_crt_set_expiration_time(raw, now + kDay),
        gnutls_x509_crt_set_dn(raw, name.c_str(), nullptr), gnutls_x509_crt_set_key(raw, key.get()),
        gnutls_x509_crt_sign2(raw, raw, key.get(), GNUTLS_DIG_SHA256, 0),
        gnutls_certificate_set_x509_key(credentials, &raw, 1, key.get())}) {
    require_gnutls(code, "no certificate");
  }
}

}  // namespace

QuicTls::QuicTls(Role role) : role_(role) {
  gnutls_certificate_credentials_t credentials = nullptr;
  require_gnutls(gnutls_certificate_allocate_credentials(&credentials), "no credentials");
  credentials_.reset(credentials);
  if (role == Role::kServer) make_certificate(credentials);
}

QuicTlsSession QuicTls::open() const {
  const bool server = role_ == Role::kServer;
  gnutls_session_t raw = nullptr;
  require_gnutls(gnutls_init(&raw, server ? GNUTLS_SERVER : GNUTLS_CLIENT), "no TLS session");
  QuicTlsSession session(raw);
  require_gnutls(gnutls_priority_set_direct(raw, kQuicPriority, nullptr), "no TLS 1.3");
  require_gnutls(server ? ngtcp2_crypto_gnutls_configure_server_session(raw)
                        : ngtcp2_crypto_gnutls_configure_client_session(raw),
                 "no QUIC in GnuTLS");
  require_gnutls(gnutls_credentials_set(raw, GNUTLS_CRD_CERTIFICATE, credentials_.get()),
                 "no credentials");
  std::array<unsigned char, 8> name = {'q', 'v', 'i', 'd', '-', 'l', 'a', 'b'};
  const gnutls_datum_t protocol{.data = name.data(), .size = name.size()};
  require_gnutls(gnutls_alpn_set_protocols(raw, &protocol, 1, GNUTLS_ALPN_MANDATORY),
                 "no protocol name");
  return session;
}

}  // namespace qvid::lab
