// HMAC-SHA256 (RFC 2104) and random bytes: what of a cryptographic library the engines need. OpenSSL's
// here; a build without it (web/engine/) brings its own.
//
// Thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace paceline {

using KeyedHash = std::array<std::byte, 32>;

// Throws std::runtime_error where the library has none.
KeyedHash hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> text);
// From the system's generator. Throws std::runtime_error where it has none.
void fill_random(std::span<std::byte> bytes);

}  // namespace paceline
