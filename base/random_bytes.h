// Bytes that nobody can guess, for secrets and ids: the kernel's. Thread: any.
#pragma once

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>

namespace qvid {

// Throws std::system_error where the kernel gives none.
template <std::size_t N>
std::array<unsigned char, N> random_bytes() {
  static_assert(N <= 256);  // getentropy gives no more at once
  std::array<unsigned char, N> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    throw std::system_error(errno, std::system_category(), "no random bytes");
  }
  return bytes;
}

}  // namespace qvid
