#include "transport/proxy/socks5_connect.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

namespace paceline {
namespace {

constexpr char kVersion = 5;
constexpr char kLoginVersion = 1;
constexpr std::uint8_t kNoLogin = 0;
constexpr std::uint8_t kPassword = 2;
constexpr std::uint8_t kNoneAcceptable = 0xff;
constexpr char kConnect = 1;
constexpr std::uint8_t kIpv4 = 1;
constexpr std::uint8_t kName = 3;
constexpr std::uint8_t kIpv6 = 4;

template <class Bytes>
std::string as_text(const Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

char byte(std::size_t number) { return static_cast<char>(number); }

bool is_name(const std::string& host) {
  boost::system::error_code error;
  boost::asio::ip::make_address(host, error);
  return static_cast<bool>(error);
}

// With its type.
std::string address_of(const std::string& host) {
  if (is_name(host)) return byte(kName) + (byte(host.size()) + host);
  const auto ip = boost::asio::ip::make_address(host);
  if (ip.is_v4()) return byte(kIpv4) + as_text(ip.to_v4().to_bytes());
  return byte(kIpv6) + as_text(ip.to_v6().to_bytes());
}

}  // namespace

Socks5Connect::Socks5Connect(const ProxyServer& proxy, const Address& to)
    : ProxyTalk(proxy, to), server_(proxy), address_(to) {
  std::string methods(1, byte(kNoLogin));
  if (proxy.has_login()) methods += byte(kPassword);
  send(kVersion + (byte(methods.size()) + methods));
}

void Socks5Connect::expect(Next next, std::size_t size) {
  next_ = next;
  wanted_ = size;
  got_.clear();
}

void Socks5Connect::read(std::string_view& bytes) {
  const std::size_t size = std::min(wanted_ - got_.size(), bytes.size());
  got_ += bytes.substr(0, size);
  bytes.remove_prefix(size);
  if (next_ != Next::bound && got_.front() != (next_ == Next::login ? kLoginVersion : kVersion)) {
    return fail(who() + " answers something that is no SOCKS5; " +
                    (got_.front() == 'H' ? "it speaks HTTP: write http://"
                                         : "is it a SOCKS proxy, and the right port?"),
                true);
  }
  if (got_.size() < wanted_) return;
  const auto second = static_cast<std::uint8_t>(got_[1]);
  switch (next_) {
    case Next::method: return on_method(second);
    case Next::login: return second == 0 ? send_request() : fail_login_refused();
    case Next::reply: return on_reply(second);
    case Next::bound: return set_open();
  }
}

void Socks5Connect::on_method(std::uint8_t method) {
  if (method == kNoLogin) return send_request();
  if (method == kPassword && server_.has_login()) return send_login();
  if (method != kNoneAcceptable) {
    return fail(who() + " answers something that is no SOCKS5: a method that was not offered",
                true);
  }
  if (!server_.has_login()) return fail_wants_login("");
  fail(who() + " takes neither a user and a password nor connections without", true);
}

void Socks5Connect::send_login() {
  send(kLoginVersion + (byte(server_.user.size()) + server_.user) + byte(server_.password.size()) +
       server_.password);
  expect(Next::login, 2);
}

void Socks5Connect::send_request() {
  send(std::string{kVersion, kConnect, 0} + address_of(address_.host) + byte(address_.port >> 8) +
       byte(address_.port & 0xff));
  // Version, reply, 0, the address's type and its first byte, which is a name's length.
  expect(Next::reply, 5);
}

void Socks5Connect::on_reply(std::uint8_t reply) {
  switch (reply) {
    case 0: break;
    case 1: return fail_out_of_reach("it fails, and does not say why");
    case 2: return fail_target_refused("by its rules");
    case 3: return fail_out_of_reach("the network is unreachable");
    case 4:
      if (!is_name(address_.host)) return fail_out_of_reach("the host is unreachable");
      return fail_name_unknown("or its host is unreachable: SOCKS has one word for both");
    case 5: return fail_out_of_reach("the connection is refused");
    case 6: return fail_out_of_reach("no answer in time");
    default:
      return fail(who() + " does not connect to " + to() + ": reply " + std::to_string(reply),
                  true);
  }
  const auto type = static_cast<std::uint8_t>(got_[3]);
  const auto first = static_cast<std::uint8_t>(got_[4]);
  constexpr std::size_t kPort = 2;
  // What is left of the address that it uses, which says nothing to us.
  switch (type) {
    case kIpv4: return expect(Next::bound, 3 + kPort);
    case kIpv6: return expect(Next::bound, 15 + kPort);
    case kName: return expect(Next::bound, first + kPort);
    default: fail(who() + " answers something that is no SOCKS5: an address of no type", true);
  }
}

}  // namespace paceline
