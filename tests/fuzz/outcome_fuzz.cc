// Any bytes as an experiment's outcome: refused with a reason, or read, written and read the same,
// and then a page and scripts that hold no command of the outcome's.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "lab/experiments/outcome.h"
#include "lab/experiments/outcome_markdown.h"
#include "lab/experiments/plot.h"
#include "tests/fuzz/require.h"

namespace {

using qvid::fuzz::require;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = nlohmann::json::parse(data, data + size, nullptr, false);
  if (json.is_discarded()) return 0;
  const auto outcome = qvid::lab::outcome_of(json);
  if (!outcome) {
    require(!outcome.error().message.empty());
    return 0;
  }
  const auto written = qvid::lab::json_of(*outcome);
  const auto again = qvid::lab::outcome_of(written);
  require(again && qvid::lab::json_of(*again) == written);

  require(!qvid::lab::markdown_of(*outcome, "images/").empty());
  for (const auto& plot : outcome->plots) {
    require(plot.name.find_first_of("/.") == std::string::npos);
    const std::string script = qvid::lab::script_of(plot);
    require(script.find('`') == std::string::npos);
    // An even number of quotes in each line: no text ends the quotes that it stands in.
    std::size_t quotes = 0;
    for (const char c : script) {
      if (c == '\'') ++quotes;
      if (c == '\n') require(quotes % 2 == 0);
    }
  }
  return 0;
}
