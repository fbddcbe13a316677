#include "app/web/web_asset.h"

#include <cstdint>

namespace qvid::app {

// FNV-1a.
std::string tag_of(std::span<const std::byte> content) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte b : content) {
    hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string tag = "\"";
  for (int shift = 60; shift >= 0; shift -= 4) tag += kDigits[hash >> shift & 15];
  return tag + '"';
}

}  // namespace qvid::app
