// What came out of a program and when, read from its `--output-log` (app/log/output_log.h):
//
//   time_us,kind,who,value
//   81234567,picture,Ann,128.4
//
// Times are seconds of the machine's steady clock, the same for every program of a run. Whose a
// picture is, is left aside: measured are programs that see one.
//
// Pure. Any bytes will do: lines that are none of these are left out and counted, as is the last
// one of a program that was killed while it wrote.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace qvid::lab {

struct OutputValue {
  double at = 0;  // s
  double value = 0;

  bool operator==(const OutputValue&) const = default;
};

// Of sound, a level is of the kLevelTime from its time on.
inline constexpr double kLevelTime = 2.5e-3;  // s

struct OutputTable {
  std::vector<OutputValue> pictures{};  // shown; mean luma, 0..255
  std::vector<OutputValue> heard{};     // dBFS, only what is above -50
  std::vector<OutputValue> spoken{};    // the same of what was captured there
  std::vector<OutputValue> alive{};     // each second of output; its frames so far
  std::vector<OutputValue> jumps{};     // ms by which output was late from then on
  std::size_t left_out = 0;             // lines
};

// Lines of all kinds; two hours of sound without a pause. What comes after is left out and counted.
inline constexpr std::size_t kMostOutputLines = 3'000'000;

// Error: the first line does not name these columns.
Result<OutputTable> parse_output(std::string_view csv);

}  // namespace qvid::lab
