// The parts of a path that several publishers of one session have: as they have used it of late, as a
// broker's seats have it (Broker::on_path_rate), but each half of an even part at least. A screen that
// stands still uses nothing, and must not have to begin its next page with that; the transport sends
// them fairly whatever they are told. Pure.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/units.h"
#include "transport/wire/message.h"

namespace qvid::app {

// `offered`: by each, of late. As many parts, each of 0..1; together 1 or a little more.
inline std::vector<double> path_parts(std::span<const ByteCount> offered) {
  ByteCount all;
  for (const ByteCount each : offered) all += each;
  const double even = 1 / static_cast<double>(std::max<std::size_t>(offered.size(), 1));
  std::vector<double> parts;
  for (const ByteCount each : offered) {
    const double used = all == ByteCount()
                            ? even
                            : static_cast<double>(each.value()) / static_cast<double>(all.value());
    parts.push_back(std::max(used, even / 2));
  }
  return parts;
}

// `all`: those that are wanted. Each is told its part.
template <typename Publisher>
void tell_parts(const std::vector<Publisher*>& all, const paceline::PathRate& path, Timestamp now) {
  std::vector<ByteCount> offered;
  for (const Publisher* publisher : all) offered.push_back(publisher->offered(now));
  const std::vector<double> parts = path_parts(offered);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i]->on_path_rate({path.rate * parts[i], path.reason});
  }
}

}  // namespace qvid::app
