// Samples of a session as text: a screen of values and sparklines, a line, a summary, JSON. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/mon/mon_history.h"

namespace qvid::app {

// How a signal is shown.
enum class Measure : std::uint8_t {
  kMilliseconds,
  kBytes,
  kBitRate,    // of a signal in kbit/s
  kByteRate,   // of a counter of bytes: shown in bits a second
  kCountRate,  // of another counter: so many a second
  kNumber,
};
constexpr bool is_rate(Measure m) { return m == Measure::kByteRate || m == Measure::kCountRate; }

// Byte counts from here on mean: no limit (a controller without a window).
inline constexpr double kUnlimited = 1e12;

// "31.3 ms", "64.0 kB", "2.50 Mbit/s"; of rates the value is the counter's, a second.
std::string text_of(double value, Measure measure);

// The signal over the `span` that ends with `end`, in so many parts: the highest value of each, and
// of counters the rate. NaN where there is no sample. The parts lie on a grid, so that they move
// on without changing.
std::vector<double> parts_of(const Samples& samples, paceline::Signal signal, Measure measure,
                             Duration end, Duration span, std::size_t parts);
// The value now; of counters the rate of the last second.
double latest(const Samples& samples, paceline::Signal signal, Measure measure);

// One character a value, from a low block for zero to a full one for `top`; a blank for NaN.
std::string sparkline(std::span<const double> values, double top);

// The first `columns` characters of UTF-8 whose characters are all one column wide.
std::string cut_to(std::string text, std::size_t columns);

struct MonView {
  std::string file;
  std::vector<std::uint64_t> sessions;  // all there are
  bool follows_newest = true;
  Duration silent{};  // since the file last grew
};

enum class Emphasis : std::uint8_t { kNone, kTitle, kHeading, kAlert, kFaint };
struct ScreenLine {
  std::string text;
  Emphasis emphasis = Emphasis::kNone;
};
// At most `rows` lines of at most `columns` characters. Precondition of all: samples not empty.
std::vector<ScreenLine> screen_of(const Samples& samples, const MonView& view, std::size_t columns,
                                  std::size_t rows);
std::string line_of(const Samples& samples);
std::string summary_of(const Samples& samples, const MonView& view);
nlohmann::json json_of(const Samples& samples, const MonView& view);

}  // namespace qvid::app
