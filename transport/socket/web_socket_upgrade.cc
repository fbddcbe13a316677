#include "transport/socket/web_socket_upgrade.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <optional>
#include <utility>

namespace paceline {
namespace {

using Header = HttpVisit::Header;

constexpr std::string_view kKeySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t kKeySize = 24;  // 16 bytes in base64
constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

bool is_key(std::string_view key) {
  const auto is_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
  };
  return key.size() == kKeySize && key.ends_with("==") &&
         std::ranges::all_of(key.substr(0, kKeySize - 2), is_digit);
}

// Empty: there is no SHA-1 here.
std::string accept_of(std::string_view key) {
  std::string text(key);
  text += kKeySuffix;
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), hash.data(), &size, EVP_sha1(), nullptr) != 1) return {};
  std::array<unsigned char, EVP_MAX_MD_SIZE * 2> digits{};
  const int length = EVP_EncodeBlock(digits.data(), hash.data(), static_cast<int>(size));
  return {digits.begin(), digits.begin() + length};
}

struct HostPort {
  std::string_view host;  // an address of IPv6 in its brackets
  std::string_view port;
};

std::optional<HostPort> split_host(std::string_view text, std::string_view default_port) {
  const std::size_t end = text.starts_with('[') ? text.find(']') : 0;
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t colon = std::min(text.find(':', end), text.size());
  HostPort parts{.host = text.substr(0, colon), .port = default_port};
  if (colon + 1 < text.size()) parts.port = text.substr(colon + 1);
  const bool is_number =
      std::ranges::all_of(parts.port, [](char c) { return c >= '0' && c <= '9'; });
  if (parts.host.empty() || !is_number) return std::nullopt;
  if (parts.host.find_first_of("/@?# ") != std::string_view::npos) return std::nullopt;
  return parts;
}

// Nobody can have it lead to another machine than it says.
bool is_own_name(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  boost::system::error_code no_address;
  boost::asio::ip::make_address(std::string(host), no_address);
  return !no_address || equal_in_any_case(host, "localhost");
}

HttpPage refusal(unsigned status, std::string text) {
  return {.status = status, .text = std::move(text)};
}

}  // namespace

bool is_same_origin(std::string_view origin, std::string_view host, bool secure) {
  const bool https = origin.starts_with(kHttps);
  if (!https && (secure || !origin.starts_with(kHttp))) return false;
  origin.remove_prefix(https ? kHttps.size() : kHttp.size());
  const std::string_view port = https ? "443" : "80";
  const auto from = split_host(origin, port);
  const auto to = split_host(host, port);
  return from && to && equal_in_any_case(from->host, to->host) && from->port == to->port &&
         (secure || https != is_own_name(from->host));
}

bool asks_for_web_socket(const HttpVisit& visit) {
  return visit.lists(Header::upgrade, "websocket");
}

std::variant<std::string, HttpPage> answer_upgrade(const HttpVisit& visit, bool secure) {
  if (visit.path() != kWebSocketPath) {
    return refusal(404, "There is no WebSocket here; it is at /paceline.\n");
  }
  if (visit.header(Header::web_socket_version) != "13") {
    HttpPage page = refusal(426, "WebSockets here are of version 13.\n");
    page.headers = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
    return page;
  }
  // Who upgrades sends nothing more before it is told so.
  if (visit.head_only() || visit.is_1_0() || visit.has_more() ||
      visit.header(Header::host).empty() || !visit.lists(Header::connection, "upgrade") ||
      !is_key(visit.header(Header::web_socket_key))) {
    return refusal(400, "This is no upgrade to a WebSocket as RFC 6455 has it.\n");
  }
  const std::string_view origin = visit.header(Header::origin);
  if (!origin.empty() && !is_same_origin(origin, visit.header(Header::host), secure)) {
    return refusal(403, "A page of another origin may not come here.\n");
  }
  if (!visit.lists(Header::web_socket_protocol, kWebSocketProtocol)) {
    return refusal(400, "The WebSocket's protocol here is paceline.2.\n");
  }
  const std::string accept = accept_of(visit.header(Header::web_socket_key));
  if (accept.empty()) return refusal(503, "There is no SHA-1 here.\n");
  std::string head =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Protocol: ";
  head += kWebSocketProtocol;
  return head + "\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n";
}

}  // namespace paceline
