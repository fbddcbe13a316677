// What a person types as an address: what is accepted is written as text that parses to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "transport/socket/address.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using paceline::parse_address;
  const auto address = parse_address({reinterpret_cast<const char*>(data), size}, 4433);
  if (!address) {
    if (address.error().message.empty()) std::abort();
    return 0;
  }
  if (address->host.empty()) std::abort();
  const auto again = parse_address(address->text(), 1);
  if (!again || again->host != address->host || again->port != address->port) std::abort();
  return 0;
}
