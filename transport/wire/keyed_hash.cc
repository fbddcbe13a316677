#include "transport/wire/keyed_hash.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <stdexcept>

namespace paceline {

KeyedHash hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> text) {
  KeyedHash hash{};
  unsigned int size = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(),
           reinterpret_cast<unsigned char*>(hash.data()), &size) == nullptr) {
    throw std::runtime_error("no HMAC-SHA256");
  }
  return hash;
}

void fill_random(std::span<std::byte> bytes) {
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) !=
      1) {
    throw std::runtime_error("the system has no random numbers");
  }
}

}  // namespace paceline
