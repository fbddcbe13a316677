#include "app/broker/port_page.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "app/web/guest_page.h"

namespace qvid::app {
namespace {

bool is_of(const paceline::Address& from, const std::vector<paceline::Network>& networks) {
  boost::system::error_code no_address;
  const auto ip = boost::asio::ip::make_address(from.host, no_address);
  return !no_address && std::ranges::any_of(networks, [&](const auto& n) { return n.has(ip); });
}

}  // namespace

Result<std::vector<paceline::Network>> parse_networks(std::string_view text) {
  std::vector<paceline::Network> networks;
  while (!text.empty()) {
    std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    const auto network = paceline::Network::parse(one);
    if (!network) return network.error();
    networks.push_back(*network);
  }
  return networks;
}

paceline::HttpPage health_page(bool draining) {
  if (draining) return {.status = 503, .text = "draining\n"};
  return {.status = 200, .text = "ok\n"};
}

paceline::HttpPage port_page(std::string_view path, const paceline::Address& from,
                             const std::vector<paceline::Network>& health_from, bool draining,
                             std::span<const WebAsset> assets) {
  if (path != "/health") return guest_page(path, assets);
  const bool allowed = health_from.empty() ? from.is_loopback() : is_of(from, health_from);
  // Never the page of a room of that name: a load balancer would take it for health.
  return allowed ? health_page(draining) : paceline::HttpPage();
}

}  // namespace qvid::app
