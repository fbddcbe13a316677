#include "app/room/shown_heights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "pubsub/wire/control_values.h"

namespace qvid::app {

ShownHeights::ShownHeights(const std::map<std::string, int>& shown) {
  std::vector<std::pair<int, std::string>> tallest;
  for (const auto& [name, lines] : shown) {
    const int steps = (std::clamp(lines, 0, kMost - kStep) + kStep - 1) / kStep;
    tallest.emplace_back(steps * kStep, name);
  }
  std::ranges::sort(tallest, std::greater());
  if (tallest.empty()) return;
  others_ = tallest[std::min(tallest.size() - 1, kMostNamed)].first;
  for (const auto& [lines, name] : tallest) {
    if (lines > others_) named_.emplace(name, lines);
  }
}

std::optional<ShownHeights> ShownHeights::read(const nlohmann::json& attributes) {
  const auto list = attributes.find(kHeightsAttribute);
  if (list == attributes.end() || !list->is_array() || list->size() > kMostNamed + 1) return {};
  ShownHeights heights;
  for (const nlohmann::json& entry : *list) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() ||
        !entry[1].is_number_integer()) {
      return {};
    }
    const auto lines = entry[1].get<std::int64_t>();
    auto name = entry[0].get<std::string>();
    if (lines < 0 || lines > kMost || name.size() > qps::kMaxName) return {};
    int& of = name.empty() ? heights.others_ : heights.named_[std::move(name)];
    of = static_cast<int>(lines);
  }
  return heights;
}

int ShownHeights::of(const std::string& name) const {
  const auto it = named_.find(name);
  return it == named_.end() ? others_ : it->second;
}

nlohmann::json ShownHeights::attribute() const {
  using nlohmann::json;
  json list = json::array({json::array({"", others_})});
  for (const auto& [name, lines] : named_) list.push_back(json::array({name, lines}));
  return list;
}

}  // namespace qvid::app
