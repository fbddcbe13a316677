// SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), for a build that has no cryptographic library.
// The browser's own answers later than it is asked, and its only use here is the proof of a channel,
// a hash of a few bytes.
//
// Pure. Thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace qvid::web {

using Sha256 = std::array<std::byte, 32>;

Sha256 sha256(std::span<const std::byte> text);
Sha256 hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> text);

}  // namespace qvid::web
