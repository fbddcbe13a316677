#include "transport/tls/tls_handles.h"

#include <openssl/err.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

#include "transport/tls/tls.h"

namespace paceline {
namespace {

constexpr std::string_view kPrefix = "sha256:";
constexpr std::size_t kDigits = 43;  // of 32 bytes, without the padding

// base64url of RFC 4648, section 5.
std::string text_of(const std::array<unsigned char, SHA256_DIGEST_LENGTH>& hash) {
  std::array<unsigned char, kDigits + 2> digits;
  EVP_EncodeBlock(digits.data(), hash.data(), static_cast<int>(hash.size()));
  std::string text(kPrefix);
  for (std::size_t i = 0; i < kDigits; ++i) {
    const char c = static_cast<char>(digits[i]);
    text += c == '+' ? '-' : c == '/' ? '_' : c;
  }
  return text;
}

}  // namespace

TlsContextPtr make_tls_context(const SSL_METHOD* method) {
  TlsContextPtr context(SSL_CTX_new(method));
  if (!context) throw std::bad_alloc();
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  SSL_CTX_set_max_proto_version(context.get(), TLS1_3_VERSION);
  // A write that has to wait is tried again from the same bytes, perhaps at another address.
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // One system call a record, not one for its header and one for its body.
  SSL_CTX_set_read_ahead(context.get(), 1);
  return context;
}

std::string fingerprint_of(const X509* certificate) {
  unsigned char* encoded = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded);
  if (size <= 0) return {};
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash;
  SHA256(encoded, static_cast<std::size_t>(size), hash.data());
  OPENSSL_free(encoded);
  return text_of(hash);
}

std::string take_tls_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  if (reason) return reason;
  return code == 0 ? "unknown error" : "OpenSSL error " + std::to_string(code);
}

qvid::Result<std::string> parse_fingerprint(std::string_view text) {
  const qvid::Error bad{"'" + std::string(text.substr(0, 100)) +
                        "' is no fingerprint: it is 'sha256:' and 43 letters, digits, '-' or '_', "
                        "as the server shows it at its start"};
  if (!text.starts_with(kPrefix)) return bad;
  std::string digits(text.substr(kPrefix.size()));
  if (digits.ends_with('=')) digits.pop_back();
  if (digits.size() != kDigits) return bad;
  std::ranges::replace(digits, '-', '+');
  std::ranges::replace(digits, '_', '/');
  for (const char c : digits) {  // OpenSSL's decoder would skip white space
    const bool digit = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                       c == '+' || c == '/';
    if (!digit) return bad;
  }
  digits += '=';
  std::array<unsigned char, 33> decoded;
  if (EVP_DecodeBlock(decoded.data(), reinterpret_cast<const unsigned char*>(digits.data()),
                      static_cast<int>(digits.size())) != 33) {
    return bad;
  }
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash;
  std::copy_n(decoded.begin(), hash.size(), hash.begin());
  std::string normal = text_of(hash);
  // The last digit has two bits that say nothing: other than zero, it was mistyped.
  std::ranges::replace(digits, '+', '-');
  std::ranges::replace(digits, '/', '_');
  if (std::string_view(normal).substr(kPrefix.size()) !=
      std::string_view(digits).substr(0, kDigits))
    return bad;
  return normal;
}

}  // namespace paceline
