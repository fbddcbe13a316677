// What the lab reads of the product's programs: any bytes give an error or a bounded table, and
// no line is both a frame and left out.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lab/bed/program_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid::lab;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto table = parse_frames(text)) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    if (table->frames.size() + table->left_out > lines) std::abort();
    for (const PlayedFrame& frame : table->frames) {
      if (frame.shown_ms.has_value() != (frame.layer >= 0)) std::abort();
      if (!std::isfinite(frame.captured_ms) || !std::isfinite(frame.delay_ms)) std::abort();
    }
  }
  if (const auto report = parse_report(text)) {
    if (report->size() > size) std::abort();
  }
  if (watch_url(text).size() > size) std::abort();
  return 0;
}
