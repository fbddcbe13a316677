// Addresses that begin alike: "10.0.0.0/8", "fd00::/8", or one address.
#pragma once

#include <array>
#include <boost/asio/ip/address.hpp>
#include <string_view>

#include "base/result.h"

namespace paceline {

class Network {
 public:
  // The error says what one looks like.
  static qvid::Result<Network> parse(std::string_view text);

  // An IPv4 address mapped into IPv6 counts as the IPv4 address.
  bool has(const boost::asio::ip::address& address) const;

 private:
  using Bytes = std::array<unsigned char, 16>;  // IPv4 mapped into IPv6
  static Bytes bytes_of(const boost::asio::ip::address& address);

  Bytes bytes_{};
  unsigned bits_ = 0;  // that must be equal, 0..128
};

}  // namespace paceline
