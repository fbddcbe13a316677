#include "transport/datagram/unguessable.h"

#include <cstring>
#include <span>

#include "transport/wire/keyed_hash.h"

namespace paceline {

std::uint64_t Unguessable::next() {
  ++count_;
  const KeyedHash hash = hmac_sha256(key_, std::as_bytes(std::span(&count_, 1)));
  std::uint64_t value = 0;
  std::memcpy(&value, hash.data(), sizeof value);
  return value;
}

}  // namespace paceline
