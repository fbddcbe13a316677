#include "transport/wire/same_secret.h"

#include <openssl/crypto.h>

namespace paceline {

bool same_secret(std::string_view shown, std::string_view wanted) {
  return shown.size() == wanted.size() &&
         CRYPTO_memcmp(shown.data(), wanted.data(), wanted.size()) == 0;
}

}  // namespace paceline
