#include "transport/socket/address.h"

#include <boost/asio/ip/address.hpp>
#include <charconv>

#include "base/ascii.h"
#include "base/text.h"

namespace paceline {

std::string Address::text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool Address::is_loopback() const {
  boost::system::error_code not_numeric;
  const auto ip = boost::asio::ip::make_address(host, not_numeric);
  if (!not_numeric) {
    if (ip.is_v6() && ip.to_v6().is_v4_mapped()) {
      return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, ip.to_v6()).is_loopback();
    }
    return ip.is_loopback();
  }
  return qvid::is_same_word(host, "localhost");
}

// By hand: Asio reads numeric addresses only, without a port, and names it looks up at once.
qvid::Result<Address> parse_address(std::string_view text, std::uint16_t default_port) {
  const qvid::Error bad{
      qvid::in_quotes(text) +
      " is no address: write host:port, for example 127.0.0.1:" + std::to_string(default_port)};
  Address address{.host = {}, .port = default_port};
  std::string_view rest = text;
  std::string_view port;
  if (rest.starts_with('[')) {
    const auto end = rest.find(']');
    if (end == std::string_view::npos) return bad;
    address.host = rest.substr(1, end - 1);
    rest = rest.substr(end + 1);
    if (!rest.empty() && rest[0] != ':') return bad;
    if (rest.size() == 1) return bad;
    if (!rest.empty()) port = rest.substr(1);
  } else {
    const auto colon = rest.find(':');
    address.host = rest.substr(0, colon);
    if (colon != std::string_view::npos) {
      port = rest.substr(colon + 1);
      if (port.empty()) return bad;
    }
  }
  if (address.host.empty() || address.host.size() > 253) return bad;
  // A port alone, which resolvers would take for an IPv4 address written as one number.
  if (address.host.find_first_not_of("0123456789") == std::string::npos) return bad;
  for (const char c : address.host) {
    const auto u = static_cast<unsigned char>(c);
    if (u <= ' ' || u == 0x7f || c == '[' || c == ']') return bad;
  }
  if (!port.empty()) {
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (error != std::errc{} || end != port.data() + port.size()) return bad;
  }
  return address;
}

}  // namespace paceline
