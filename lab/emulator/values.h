// Values with units as a person writes them. Each error says what is allowed.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace qvid::lab {

Result<Duration> parse_time(std::string_view text);    // 20ms, 1.5s, 200us, 2min, 0s to 24 h
Result<DataRate> parse_rate(std::string_view text);    // 600kbit, 2mbit, 1gbit
Result<ByteCount> parse_bytes(std::string_view text);  // 120kB, 64KiB, 3000B, 1MB
Result<double> parse_share(std::string_view text);     // 0.5% or 0.005, 0 to 1
Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t max);

}  // namespace qvid::lab
