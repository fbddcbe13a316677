#include "transport/datagram/unguessable.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstring>
#include <stdexcept>

namespace paceline {

std::uint64_t Unguessable::next() {
  ++count_;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
           reinterpret_cast<const unsigned char*>(&count_), sizeof count_, digest.data(),
           &size) == nullptr) {
    throw std::runtime_error("no HMAC-SHA256");
  }
  std::uint64_t value = 0;
  std::memcpy(&value, digest.data(), sizeof value);
  return value;
}

}  // namespace paceline
