#include "transport/socket/address_group.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

namespace paceline {

namespace ip = boost::asio::ip;

std::string address_group(const std::string& host) {
  boost::system::error_code not_numeric;
  const ip::address address = ip::make_address(host, not_numeric);
  if (not_numeric || address.is_v4()) return host;
  const ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), static_cast<unsigned char>(0));
  return ip::address_v6(bytes).to_string();
}

}  // namespace paceline
