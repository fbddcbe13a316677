#include "pubsub/broker/address_limit.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

namespace qps {
namespace {

namespace ip = boost::asio::ip;

// What is counted as one: an IPv4 address, the first half of an IPv6 address, or the text.
std::string group_of(const std::string& host) {
  boost::system::error_code not_numeric;
  const ip::address address = ip::make_address(host, not_numeric);
  if (not_numeric || address.is_v4()) return host;
  const ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), static_cast<unsigned char>(0));
  return ip::address_v6(bytes).to_string();
}

}  // namespace

bool AddressLimit::take(const std::string& host) {
  std::size_t& sessions = sessions_[group_of(host)];
  if (sessions >= most_) return false;
  ++sessions;
  return true;
}

void AddressLimit::give_back(const std::string& host) {
  const auto it = sessions_.find(group_of(host));
  if (it != sessions_.end() && --it->second == 0) sessions_.erase(it);
}

}  // namespace qps
