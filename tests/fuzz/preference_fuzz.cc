// Any text as a criterion, over a room with attributes of all kinds: refused with a sentence, or a
// ranking of names of the room, each once, the same twice, not more than are asked for; and the
// room is as it was. The first line may be attributes of one more publisher.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "pubsub/criteria/preference.h"
#include "tests/fuzz/require.h"

namespace {

using qvid::fuzz::require;

using nlohmann::json;

constexpr std::size_t kSeats = 5;

bool sound(const qvid::Error& error) {
  return !error.message.empty() && error.message.size() < 1000 &&
         error.message.find('\0') == std::string::npos;
}

qps::PublisherTable room() {
  qps::PublisherTable table;
  const json attributes[] = {
      {{"speaking", true}, {"loudness", -20.5}, {"x", 1}, {"y", 2.5}},
      {{"pinned", 1}, {"width", 1280}, {"height", 720}, {"fps", 30}, {"tags", {"goal", "wide"}}},
      {{"loudness", "loud"}, {"x", "text"}, {"team", "red"}, {"n", INT64_MIN}},
      {{"x", nullptr}, {"y", {{"z", {1, 2, 3}}}}, {"long", std::string(900, 'a')}},
      json::object()};
  int i = 0;
  for (const json& each : attributes) {
    const auto error = table.upsert("p" + std::to_string(i), std::chrono::seconds(i / 2), each);
    require(!error);
    ++i;
  }
  return table;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static qps::PublisherTable table = room();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t others = 5;
  if (text.starts_with("{")) {
    const std::size_t line = std::min(text.find('\n'), text.size());
    const json attributes = json::parse(text.substr(0, line), nullptr, false);
    if (const auto error = table.upsert("guest", std::chrono::seconds(9), attributes)) {
      require(sound(*error));
    }
    text.remove_prefix(std::min(line + 1, text.size()));
  }

  const auto criterion = table.compile(text);
  if (!criterion) {
    require(sound(criterion.error()));
  } else {
    const auto best = table.best(*criterion, kSeats);
    if (!best) {
      require(sound(best.error()));
    } else {
      require(best->size() <= criterion->limit().value_or(kSeats));
      for (auto name = best->begin(); name != best->end(); ++name) {
        require(*name == "guest" || (name->size() == 2 && (*name)[0] == 'p'));
        require(std::find(name + 1, best->end(), *name) == best->end());
      }
      const auto again = table.best(*criterion, kSeats);
      require(again && *again == *best);
    }
  }

  table.remove("guest");
  static const auto all = table.compile("ORDER BY name");
  const auto names = table.best(*all, qps::kMaxSeats);
  require(names && names->size() == others && names->front() == "p0" && names->back() == "p4");
  return 0;
}
