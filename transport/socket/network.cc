#include "transport/socket/network.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace paceline {

namespace ip = boost::asio::ip;

Network::Bytes Network::bytes_of(const ip::address& address) {
  return address.is_v4() ? ip::make_address_v6(ip::v4_mapped, address.to_v4()).to_bytes()
                         : address.to_v6().to_bytes();
}

qvid::Result<Network> Network::parse(std::string_view text) {
  const qvid::Error bad{"'" + std::string(text.substr(0, 100)) +
                        "' is no network: write 10.0.0.0/8, fd00::/8 or an address"};
  const auto slash = text.find('/');
  boost::system::error_code error;
  const ip::address address = ip::make_address(std::string(text.substr(0, slash)), error);
  if (error) return bad;
  const unsigned most = address.is_v4() ? 32 : 128;
  unsigned bits = most;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, no_number] =
        std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (no_number != std::errc{} || end != digits.data() + digits.size() || bits > most) return bad;
  }
  Network network;
  network.bytes_ = bytes_of(address);
  network.bits_ = bits + 128 - most;
  return network;
}

bool Network::has(const ip::address& address) const {
  const Bytes other = bytes_of(address);
  for (unsigned i = 0; i < other.size(); ++i) {
    const unsigned here = bits_ <= 8 * i ? 0 : std::min(bits_ - 8 * i, 8U);
    const unsigned mask = 0xff00U >> here & 0xffU;
    if (((bytes_[i] ^ other[i]) & mask) != 0) return false;
  }
  return true;
}

}  // namespace paceline
