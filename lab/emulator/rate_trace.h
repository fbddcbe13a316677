// Mahimahi's traces of a link: a text file with one whole number a line, the millisecond at which
// one packet of 1500 bytes may leave; several lines with the same number are several packets. The
// trace repeats after its last line.
//
// Here the n lines of millisecond t become a rate of n · 1500 bytes in [t - 1, t): what leaves by t
// is the same, but a small packet takes only its own share of an opportunity.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/emulator/rate_schedule.h"

namespace qvid::lab {

struct RateTrace {
  DataRate mean;
  std::vector<RateStep> steps;
  Duration period{};
};

Result<RateTrace> parse_trace(std::string_view text);
Result<RateTrace> load_trace(const std::string& path);

}  // namespace qvid::lab
