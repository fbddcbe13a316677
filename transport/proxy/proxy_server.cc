#include "transport/proxy/proxy_server.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "base/ascii.h"
#include "base/percent.h"
#include "transport/socket/network.h"

namespace paceline {
namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;

constexpr std::size_t kMaxLogin = 255;  // RFC 1929 has a byte for the length
constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kSocksPort = 1080;
constexpr std::string_view kDirect = "direct";

bool fits_a_login(std::string_view text) {
  return text.size() <= kMaxLogin && std::ranges::none_of(text, [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte < 0x20 || byte == 0x7f;
         });
}

std::optional<ip::address> numeric(const std::string& host) {
  error_code error;
  ip::address address = ip::make_address(host, error);
  return error ? std::nullopt : std::optional(address);
}

bool in_network(const ip::address& address, std::string_view text) {
  const auto network = Network::parse(text);
  return network && network->has(address);
}

bool names(std::string_view entry, const std::string& host,
           const std::optional<ip::address>& address) {
  if (entry == "*") return true;
  if (address) {
    const bool brackets = entry.starts_with('[') && entry.ends_with(']');
    return in_network(*address, brackets ? entry.substr(1, entry.size() - 2) : entry);
  }
  std::string domain = qvid::lower_case(entry);
  if (domain.starts_with("*.")) domain.erase(0, 1);
  if (domain.starts_with('.')) domain.erase(0, 1);
  if (domain.ends_with('.')) domain.pop_back();
  if (domain.empty() || !host.ends_with(domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

bool is_link_local(const Address& to) {
  const auto address = numeric(to.host);
  return address && (in_network(*address, "fe80::/10") || in_network(*address, "169.254.0.0/16"));
}

}  // namespace

std::string ProxyServer::text() const {
  return (kind == Kind::http ? "http://" : "socks5://") + address.text();
}

qvid::Result<ProxyServer> parse_proxy(std::string_view text) {
  // What stands before the last @ may be a password, however the rest is broken.
  const auto at = text.rfind('@');
  const auto bad = [&](const std::string& why) {
    const std::string_view shown = at == std::string_view::npos ? text : text.substr(at + 1);
    return qvid::Error{(at == std::string_view::npos ? "'" : "'...@") +
                       std::string(shown.substr(0, 200)) + "' " + why +
                       ": write http://[user:password@]host:port or socks5://..."};
  };
  ProxyServer proxy;
  std::string_view rest = text;
  if (const auto scheme_end = rest.substr(0, at).find("://");
      scheme_end != std::string_view::npos) {
    const std::string scheme = qvid::lower_case(rest.substr(0, scheme_end));
    rest.remove_prefix(scheme_end + 3);
    if (scheme == "socks5" || scheme == "socks5h") {
      proxy.kind = ProxyServer::Kind::socks5;
    } else if (scheme == "https") {
      return bad("is a proxy that is itself spoken to by TLS, which is not supported");
    } else if (scheme != "http") {
      return bad("is no kind of proxy that is supported");
    }
  }
  if (const auto end = rest.rfind('@'); end != std::string_view::npos) {
    const std::string_view login = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const auto colon = login.find(':');
    const auto user = qvid::percent_decoded(login.substr(0, colon));
    const auto password =
        qvid::percent_decoded(colon == std::string_view::npos ? "" : login.substr(colon + 1));
    if (!user || !password) return bad("has a broken % code in its user or password");
    if (!fits_a_login(*user) || !fits_a_login(*password)) {
      return bad("has a user or a password of more than 255 bytes or with control characters");
    }
    proxy.user = *user;
    proxy.password = *password;
  }
  while (rest.ends_with('/')) rest.remove_suffix(1);
  auto address =
      parse_address(rest, proxy.kind == ProxyServer::Kind::http ? kHttpPort : kSocksPort);
  if (!address || address->host.find('/') != std::string::npos) return bad("names no proxy");
  proxy.address = *std::move(address);
  return proxy;
}

bool is_exempt(std::string_view exceptions, const Address& to) {
  std::string host = qvid::lower_case(to.host);
  if (host.ends_with('.')) host.pop_back();
  const auto address = numeric(to.host);
  constexpr std::string_view kBetween = ", \t";
  while (!exceptions.empty()) {
    const auto end = std::min(exceptions.find_first_of(kBetween), exceptions.size());
    const std::string_view entry = exceptions.substr(0, end);
    exceptions.remove_prefix(std::min(end + 1, exceptions.size()));
    if (!entry.empty() && names(entry, host, address)) return true;
  }
  return false;
}

qvid::Result<std::optional<ChosenProxy>> choose_proxy(const ProxySettings& settings,
                                                      const Address& to) {
  const bool said = !settings.option.empty();
  const std::string& text = said ? settings.option : settings.environment;
  const std::string from = said ? "--proxy" : settings.variable;
  if (text.empty() || (said && text == kDirect)) return std::optional<ChosenProxy>();
  if (!said && (to.is_loopback() || is_link_local(to) || is_exempt(settings.exceptions, to))) {
    return std::optional<ChosenProxy>();
  }
  if (is_link_local(to)) {
    return qvid::Error{from + ": " + to.host +
                       " is an address on a link of this machine, which no proxy reaches"};
  }
  auto server = parse_proxy(text);
  if (!server) return qvid::Error{from + ": " + server.error().message};
  return std::optional(ChosenProxy{.server = *std::move(server), .from = from});
}

}  // namespace paceline
