// Any bytes as a log of signals, cut anywhere: the same samples come out, they are within their
// bounds, and written again they are read the same.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/mon/mon_history.h"
#include "app/mon/mon_table.h"
#include "tests/fuzz/require.h"
#include "transport/session/signal_csv.h"
#include "transport/session/signal_reader.h"

namespace {

using qvid::fuzz::require;

using namespace paceline;

struct Read {
  bool taken = true;
  std::uint64_t bad_lines = 0;
  std::vector<SignalSample> samples;
};

Read read(std::string_view text, std::size_t piece) {
  SignalReader reader;
  Read outcome;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    // A block of its own, so that reading past its end is seen.
    const std::string part(text.substr(at, piece));
    outcome.taken = static_cast<bool>(reader.feed(part, outcome.samples));
  }
  outcome.bad_lines = reader.bad_lines();
  return outcome;
}

std::string written(const std::vector<SignalSample>& samples) {
  std::string text = csv_header();
  for (const SignalSample& sample : samples) text += csv_line(sample);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Read whole = read(text, text.size() + 1);
  const Read pieces = read(text, std::size_t{1} + data[0]);
  require(whole.taken == pieces.taken && whole.bad_lines == pieces.bad_lines);
  require(written(whole.samples) == written(pieces.samples));

  qvid::app::SignalHistory history{std::nullopt};
  for (const SignalSample& sample : whole.samples) {
    require(sample.time >= Duration::zero() && sample.queues.size() <= kMaxQueues);
    for (const double value : sample.values) {
      require(std::isfinite(value) && std::abs(value) <= SignalSample::kMaxSignal);
    }
    require(csv_line(sample).size() <= SignalReader::kMaxLine);
    history.push(sample);
  }
  const std::string again = written(whole.samples);
  const Read second = read(again, again.size());
  require(second.taken && second.bad_lines == 0 && written(second.samples) == again);

  for (const std::uint64_t session : history.sessions()) {
    const auto& samples = *history.of(session);
    const qvid::app::MonView view{.file = "f", .sessions = history.sessions()};
    for (const auto& line : qvid::app::screen_of(samples, view, 80, 24)) {
      require(line.text.find_first_of("\n\x1b") == std::string::npos);
    }
    require(!qvid::app::line_of(samples).empty());
    require(!qvid::app::summary_of(samples, view).empty());
  }
  return 0;
}
