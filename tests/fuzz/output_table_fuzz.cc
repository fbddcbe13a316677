// What the lab reads of an output log: any bytes give an error, or a bounded table by time.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lab/bed/output_table.h"
#include "lab/experiments/sound_measure.h"
#include "lab/experiments/sync_measure.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid::lab;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = parse_output(text);
  if (!table) return 0;
  std::size_t taken = 0;
  for (const auto* values :
       {&table->pictures, &table->heard, &table->spoken, &table->alive, &table->jumps}) {
    taken += values->size();
    double before = -1e300;
    for (const OutputValue& value : *values) {
      if (!std::isfinite(value.value) || value.at < before) std::abort();
      before = value.at;
    }
  }
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (taken + table->left_out > lines + 1) std::abort();
  const SyncMeasure sync = measure_sync(*table, {0, 100});
  if (sync.errors.size() > table->pictures.size()) std::abort();
  gaps_in(table->heard, {0, 100}, 60);
  click_delays(*table, *table, {0, 100});
  return 0;
}
