// A room's table of publishers, and what criteria make of it, as tests read it.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pubsub/criteria/preference.h"

namespace qps {

using namespace std::chrono_literals;
using nlohmann::json;
using Names = std::vector<std::string>;

// The ranking, or "refused: why" alone.
inline Names best(PublisherTable& table, std::string_view text, std::size_t seats = 4) {
  const auto criterion = table.compile(text);
  if (!criterion) return {"refused: " + criterion.error().message};
  const auto names = table.best(*criterion, seats);
  if (!names) return {"refused: " + names.error().message};
  return *names;
}

inline std::string refusal(PublisherTable& table, std::string_view text) {
  const Names names = best(table, text);
  if (names.size() != 1 || !names[0].starts_with("refused: ")) return "";
  return names[0].substr(9);
}

inline void add(PublisherTable& table, const std::string& name, qvid::Duration joined,
                const json& attributes) {
  const auto error = table.upsert(name, joined, attributes);
  ASSERT_FALSE(error) << error->message;
}

inline PublisherTable room_of(int publishers) {
  PublisherTable table;
  for (int i = 0; i < publishers; ++i) {
    add(table, "p" + std::to_string(i), i * 1s, {{"loudness", -i % 100}, {"x", i}});
  }
  return table;
}

}  // namespace qps
