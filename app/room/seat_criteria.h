// The criterion by which a viewer gets the pictures that its window shows: these people first, the
// others, where seats are left, as they joined (docs/preferences.md). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pubsub/wire/criterion_text.h"

namespace qvid::app {

// Those at the end are left out where a criterion may not be so long. Empty names: empty, the
// broker's own order.
inline std::string criteria_for(const std::vector<std::string>& names) {
  static constexpr std::string_view kHead = "ORDER BY name IN (";
  static constexpr std::string_view kTail = ") DESC";
  std::string list;
  for (const std::string& name : names) {
    std::string quoted = list.empty() ? "'" : ",'";
    for (const char c : name) quoted += c == '\'' ? "''" : std::string(1, c);
    quoted += '\'';
    if (kHead.size() + list.size() + quoted.size() + kTail.size() > qps::kMaxCriterion) break;
    list += quoted;
  }
  return list.empty() ? std::string() : std::string(kHead) + list + std::string(kTail);
}

}  // namespace qvid::app
