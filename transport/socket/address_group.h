// What counts as one address where places are limited: an IPv4 address, a /64 of IPv6 (who has one
// of it has all of it).
#pragma once

#include <string>

namespace paceline {

// `host`: numeric, without a port; what is not numeric is a group by itself.
std::string address_group(const std::string& host);

}  // namespace paceline
