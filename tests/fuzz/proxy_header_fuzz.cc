// Any bytes where a proxy says who its client is: bounded, the same whole and in pieces, and what it
// names is an address.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/require.h"
#include "transport/socket/network.h"
#include "transport/socket/proxy_header.h"

namespace {

using qvid::fuzz::require;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using paceline::ProxyHeader;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ProxyHeader whole;
  const std::size_t used = whole.receive(bytes);
  require(used <= ProxyHeader::kMost);
  require(used == size || whole.state() != ProxyHeader::State::reading);
  ProxyHeader pieces;
  std::size_t at = 0;
  while (at < size && pieces.state() == ProxyHeader::State::reading) {
    // A block of its own, so that reading past its end is seen.
    const std::string block(bytes.substr(at, 3));
    at += pieces.receive(block);
  }
  require(pieces.state() == whole.state());
  require(whole.client().has_value() == pieces.client().has_value());
  if (whole.client()) {
    require(whole.state() == ProxyHeader::State::done && at == used);
    require(static_cast<bool>(paceline::Network::parse(whole.client()->host)));
    require(whole.client()->text() == pieces.client()->text());
  }
  return 0;
}
