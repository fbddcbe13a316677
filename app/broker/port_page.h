// What a broker's own port shows to who comes to it by HTTP: its health to those who may see it, and
// to everybody the page for guests with a browser. Pure. Thread: any.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/web/web_asset.h"
#include "base/result.h"
#include "transport/socket/address.h"
#include "transport/socket/http_visit.h"
#include "transport/socket/network.h"

namespace qvid::app {

// "10.0.0.0/8, fd00::/8"; empty: none.
Result<std::vector<paceline::Network>> parse_networks(std::string_view text);

paceline::HttpPage health_page(bool draining);

// `health_from`: who may see the health; none: this machine.
paceline::HttpPage port_page(std::string_view path, const paceline::Address& from,
                             const std::vector<paceline::Network>& health_from, bool draining,
                             std::span<const WebAsset> assets);

}  // namespace qvid::app
