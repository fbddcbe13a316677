#include "lab/emulator/rate_trace.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "lab/emulator/link_spec.h"

namespace qvid::lab {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t kMaxFile = std::size_t{8} << 20;
constexpr std::int64_t kPacketBits = 1500 * 8;
constexpr std::int64_t kMaxMs = Milliseconds(2h).count();

DataRate rate_of(std::int64_t packets_in_a_ms) {
  return DataRate::from_bps(packets_in_a_ms * kPacketBits * 1000);
}

}  // namespace

Result<RateTrace> parse_trace(std::string_view text) {
  RateTrace trace;
  std::int64_t line_number = 0;
  std::int64_t current = -1;  // the bin being counted: [current, current + 1) ms
  std::int64_t here = 0;
  std::int64_t total = 0;
  const auto close = [&] {
    if (here == 0) return;
    trace.steps.push_back({Milliseconds(current), rate_of(here)});
  };
  while (!text.empty()) {
    ++line_number;
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    std::int64_t ms = 0;
    const auto [last, error] = std::from_chars(line.data(), line.data() + line.size(), ms);
    const std::int64_t bin = std::max<std::int64_t>(0, ms - 1);
    if (error != std::errc{} || last != line.data() + line.size() || ms < 0 || ms > kMaxMs ||
        bin < current) {
      return Error{"line " + std::to_string(line_number) +
                   " of the trace is no millisecond that follows the one before, within two hours"};
    }
    if (bin > current) {
      close();
      if (bin > current + 1) trace.steps.push_back({Milliseconds(current + 1), DataRate()});
      current = bin;
      here = 0;
    }
    ++here;
    ++total;
    if (rate_of(here) > kMaxRate) {
      return Error{"line " + std::to_string(line_number) + " of the trace: that exceeds 1gbit"};
    }
  }
  if (total == 0) return Error{"the trace is empty"};
  close();
  trace.period = Milliseconds(current + 1);
  trace.mean = DataRate::of(ByteCount(total * kPacketBits / 8), trace.period);
  return trace;
}

Result<RateTrace> load_trace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::string block(std::size_t{64} << 10, '\0');
  while (file && text.size() <= kMaxFile) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (text.size() > kMaxFile) return Error{"the trace is larger than 8 MiB"};
  if (file.bad() || (text.empty() && !file.eof())) {
    return Error{"the trace '" + printable(path) + "' cannot be read"};
  }
  return parse_trace(text);
}

}  // namespace qvid::lab
