#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cstring>
#include <new>
#include <vector>

#include "transport/tls/tls.h"
#include "transport/tls/tls_files.h"
#include "transport/tls/tls_handles.h"

namespace paceline {
namespace {

// Each standby of a client resumes with a ticket of its own.
constexpr std::size_t kTickets = 4;
constexpr long kDay = 24 * 60 * 60;
constexpr long kLifetime = 3650 * kDay;  // of a certificate that only its key vouches for

BioPtr reader_of(const std::string& text) {
  BioPtr bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  if (!bio) throw std::bad_alloc();
  return bio;
}

qvid::Result<std::string> read_given(const char* what, const std::filesystem::path& path) {
  auto text = read_file(path);
  if (!text) return text.error();
  if (!*text) {
    return qvid::Error{std::string("there is no ") + what + " file " + path.string()};
  }
  return **std::move(text);
}

qvid::Result<std::vector<CertificatePtr>> parse_chain(const std::string& text,
                                                      const std::filesystem::path& path) {
  const BioPtr bio = reader_of(text);
  std::vector<CertificatePtr> chain;
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    chain.emplace_back(next);
  }
  const std::string why = take_tls_error();
  if (!chain.empty()) return chain;
  if (text.find("BEGIN CERTIFICATE") == std::string::npos) {
    return qvid::Error{path.string() + " holds no certificate in PEM form"};
  }
  return qvid::Error{"the certificate in " + path.string() + " cannot be read: " + why};
}

qvid::Result<KeyPtr> parse_key(const std::string& text, const std::filesystem::path& path) {
  const BioPtr bio = reader_of(text);
  // Without a callback OpenSSL would ask for the passphrase at the terminal.
  const auto no_passphrase = [](char*, int, int, void*) { return -1; };
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  const std::string why = take_tls_error();
  if (key) return key;
  if (text.find("ENCRYPTED") != std::string::npos) {
    return qvid::Error{"the key in " + path.string() +
                       " has a passphrase: remove it with 'openssl pkey'"};
  }
  if (text.find("PRIVATE KEY") == std::string::npos) {
    return qvid::Error{path.string() + " holds no private key in PEM form"};
  }
  return qvid::Error{"the key in " + path.string() + " cannot be read: " + why};
}

std::string warning_about(const X509* certificate, const std::filesystem::path& certificate_file,
                          const std::filesystem::path& key_file) {
  std::string warning;
  const auto add = [&warning](const std::string& text) {
    warning += (warning.empty() ? "" : "; ") + text;
  };
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0) {
    add("the certificate in " + certificate_file.string() + " has expired");
  }
  if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0) {
    add("the certificate in " + certificate_file.string() + " is not valid yet");
  }
  struct stat info {};
  if (::stat(key_file.c_str(), &info) == 0 && (info.st_mode & S_IRWXO) != 0) {
    add("every user of this machine can read the key: chmod 600 " + key_file.string());
  }
  return warning;
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  unsigned char* found = nullptr;
  const auto is_offered = [&](const unsigned char* ours, unsigned ours_size) {
    return SSL_select_next_proto(&found, size, ours, ours_size, offered, offered_size) ==
           OPENSSL_NPN_NEGOTIATED;
  };
  if (!is_offered(kAlpn, kAlpnSize) && !is_offered(kAlpnHttp, kAlpnHttpSize)) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

TlsContextPtr make_server_context() {
  TlsContextPtr context = make_tls_context(TLS_server_method());
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  // Tickets hold all of a session, encrypted for this process: nothing to keep here.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), kTickets);
  SSL_CTX_set_session_id_context(context.get(), kAlpn, kAlpnSize);
  return context;
}

template <class Object, class Write>
std::string pem_of(Object* object, Write write) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (!bio || write(bio.get(), object) != 1) throw std::bad_alloc();
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

bool add_extension(X509* certificate, int which, const char* value) {
  using Extension = std::unique_ptr<X509_EXTENSION, FreedBy<X509_EXTENSION_free>>;
  const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, which, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// Signed by itself. Its name says nothing: clients go by the key.
CertificatePtr make_certificate(EVP_PKEY* key) {
  CertificatePtr certificate(X509_new());
  if (!certificate) throw std::bad_alloc();
  X509* c = certificate.get();
  std::uint64_t serial = 0;
  const unsigned char name[] = "Paceline server";
  X509_NAME* subject = X509_get_subject_name(c);
  const bool made =
      X509_set_version(c, X509_VERSION_3) == 1 &&
      RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1 &&
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(c), serial >> 1) == 1 &&
      // A day back, for clients whose clock is behind.
      X509_gmtime_adj(X509_getm_notBefore(c), -kDay) &&
      X509_gmtime_adj(X509_getm_notAfter(c), kLifetime) && X509_set_pubkey(c, key) == 1 &&
      X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0) == 1 &&
      X509_set_issuer_name(c, subject) == 1 &&
      add_extension(c, NID_basic_constraints, "critical,CA:FALSE") &&
      add_extension(c, NID_key_usage, "critical,digitalSignature") &&
      add_extension(c, NID_ext_key_usage, "serverAuth") && X509_sign(c, key, EVP_sha256()) > 0;
  return made ? std::move(certificate) : nullptr;
}

}  // namespace

Identity::Identity(SSL_CTX* context) : context_(context) {}
Identity::~Identity() { SSL_CTX_free(context_); }

qvid::Result<std::shared_ptr<Identity>> Identity::load(const std::filesystem::path& certificate,
                                                       const std::filesystem::path& key) {
  const auto chain_text = read_given("certificate", certificate);
  if (!chain_text) return chain_text.error();
  const auto key_text = read_given("key", key);
  if (!key_text) return key_text.error();
  const auto chain = parse_chain(*chain_text, certificate);
  if (!chain) return chain.error();
  const auto private_key = parse_key(*key_text, key);
  if (!private_key) return private_key.error();

  X509* leaf = chain->front().get();
  if (X509_check_private_key(leaf, private_key->get()) != 1) {
    (void)take_tls_error();
    return qvid::Error{"the key in " + key.string() +
                       " is not that of the (first) certificate in " + certificate.string()};
  }
  std::shared_ptr<Identity> identity(new Identity(make_server_context().release()));
  SSL_CTX* context = identity->context_;
  bool usable = SSL_CTX_use_certificate(context, leaf) == 1 &&
                SSL_CTX_use_PrivateKey(context, private_key->get()) == 1;
  for (std::size_t i = 1; usable && i < chain->size(); ++i) {
    usable = SSL_CTX_add1_chain_cert(context, (*chain)[i].get()) == 1;
  }
  if (!usable) {
    return qvid::Error{"the certificate in " + certificate.string() +
                       " cannot be used: " + take_tls_error()};
  }
  identity->fingerprint_ = fingerprint_of(leaf);
  identity->warning_ = warning_about(leaf, certificate, key);
  return identity;
}

qvid::Result<std::shared_ptr<Identity>> Identity::load_or_generate(
    const std::filesystem::path& folder) {
  const auto certificate_file = folder / "certificate.pem";
  const auto key_file = folder / "key.pem";
  if (auto error = make_private_folder(folder)) return *error;
  const auto lock = FileLock::take(folder / ".lock");  // another may be starting too
  if (!lock) return lock.error();

  const auto key_text = read_file(key_file);
  if (!key_text) return key_text.error();
  const auto certificate_text = read_file(certificate_file);
  if (!certificate_text) return certificate_text.error();
  if (*key_text && *certificate_text) return load(certificate_file, key_file);
  if (*certificate_text) {
    // A new key would be a new server to all who remember this one.
    return qvid::Error{"there is a certificate but no key in " + folder.string() +
                       ": bring key.pem back, or remove certificate.pem for a new identity"};
  }
  // A key alone was left by an interruption.
  auto key = *key_text ? parse_key(**key_text, key_file)
                       : qvid::Result<KeyPtr>(KeyPtr(EVP_EC_gen("P-256")));
  if (!key) return key.error();
  const CertificatePtr certificate = *key ? make_certificate(key->get()) : nullptr;
  if (!certificate) return qvid::Error{"cannot generate a key: " + take_tls_error()};
  if (!*key_text) {
    const auto write = [](BIO* bio, EVP_PKEY* k) {
      return PEM_write_bio_PrivateKey(bio, k, nullptr, nullptr, 0, nullptr, nullptr);
    };
    if (auto error = write_file(key_file, pem_of(key->get(), write))) return *error;
  }
  const auto write = [](BIO* bio, X509* c) { return PEM_write_bio_X509(bio, c); };
  if (auto error = write_file(certificate_file, pem_of(certificate.get(), write))) return *error;
  auto identity = load(certificate_file, key_file);
  if (identity) (*identity)->generated_ = true;
  return identity;
}

}  // namespace paceline
