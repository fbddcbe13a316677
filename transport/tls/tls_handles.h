// What the files of TLS share: OpenSSL's objects with an owner, and its errors as text.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace paceline {

template <auto free>
struct FreedBy {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using BioPtr = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;
using CertificatePtr = std::unique_ptr<X509, FreedBy<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using TlsContextPtr = std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>>;
using TlsSessionPtr = std::unique_ptr<SSL_SESSION, FreedBy<SSL_SESSION_free>>;

// What names the protocol inside TLS (ALPN, RFC 7301): an end that speaks another is told so.
inline constexpr unsigned char kAlpn[] = "\x0apaceline/2";
inline constexpr unsigned kAlpnSize = sizeof kAlpn - 1;
// What a server speaks too, with visitors (socket/http_visit.h).
inline constexpr unsigned char kAlpnHttp[] = "\x08http/1.1";
inline constexpr unsigned kAlpnHttpSize = sizeof kAlpnHttp - 1;

// The settings that both sides share.
TlsContextPtr make_tls_context(const SSL_METHOD* method);

// As in transport/tls/tls.h.
std::string fingerprint_of(const X509* certificate);

// Why the last call of OpenSSL in this thread failed; its queue of errors is empty afterwards.
std::string take_tls_error();

}  // namespace paceline
