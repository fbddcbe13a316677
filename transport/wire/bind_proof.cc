#include "transport/wire/bind_proof.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>

#include "base/byte_io.h"

namespace paceline {
namespace {

template <std::size_t N>
void fill_random(std::array<std::byte, N>& bytes) {
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), N) != 1) {
    throw std::runtime_error("the system has no random numbers");
  }
}

}  // namespace

SessionCredentials make_credentials() {
  SessionCredentials made;
  fill_random(made.session);
  fill_random(made.secret);
  return made;
}

BindProof bind_proof(const SessionSecret& secret, const Bind& bind) {
  std::vector<std::byte> text;
  qvid::ByteWriter out(text);
  out.bytes(std::as_bytes(std::span(std::string_view("paceline bind"))));
  out.bytes(bind.session);
  out.u32(bind.channel);
  out.u32(bind.segment);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(),
           &size) == nullptr) {
    throw std::runtime_error("no HMAC-SHA256");
  }
  BindProof proof;
  std::copy_n(reinterpret_cast<const std::byte*>(digest.data()), proof.size(), proof.begin());
  return proof;
}

bool proves(const Bind& bind, const SessionSecret& secret) {
  const BindProof expected = bind_proof(secret, bind);
  return CRYPTO_memcmp(expected.data(), bind.proof.data(), expected.size()) == 0;
}

}  // namespace paceline
