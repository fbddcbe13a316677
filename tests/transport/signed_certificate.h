// Certificates that tests make themselves, and the files they are kept in.
#pragma once

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "tests/temporary_folder.h"
#include "transport/tls/tls.h"

namespace paceline {

namespace fs = std::filesystem;

using qvid::operator""s;

inline void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
inline std::string get(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}
inline mode_t mode_of(const fs::path& path) {
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

}  // namespace paceline
