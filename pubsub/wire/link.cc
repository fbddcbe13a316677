#include "pubsub/wire/link.h"

#include <charconv>

namespace qps {

std::optional<Placed> parse_placed(std::string_view text) {
  Placed read;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, read.place);
  if (error != std::errc() || rest == end || *rest != ' ' || read.place > kMaxPlace) {
    return std::nullopt;
  }
  read.text = text.substr(static_cast<std::size_t>(rest - text.data()) + 1);
  return read;
}

std::string placed(std::uint32_t place, std::string_view text) {
  return std::to_string(place) + " " + std::string(text);
}

}  // namespace qps
