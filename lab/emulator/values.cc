#include "lab/emulator/values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "base/text.h"
#include "lab/emulator/link_spec.h"

namespace qvid::lab {
namespace {

struct Unit {
  std::string_view name;  // in lower case
  double factor;
};

// A number and a unit, in units' base; nothing where the text is neither.
std::optional<double> with_unit(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) return std::nullopt;
  std::string unit(end, last);
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Unit& u : units) {
    if (unit == u.name) return value * u.factor;
  }
  return std::nullopt;
}

Error bad(std::string_view text, const std::string& what) {
  return Error{in_quotes(text) + " is no " + what};
}

}  // namespace

Result<Duration> parse_time(std::string_view text) {
  static constexpr std::array<Unit, 4> kUnits{
      {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}}};
  const auto ns = with_unit(text, kUnits);
  if (!ns || *ns > static_cast<double>(kMaxTime.count())) {
    return bad(text, "time: write a number and us, ms, s or min, up to 24 hours, as 20ms or 1.5s");
  }
  return Duration(std::llround(*ns));
}

Result<DataRate> parse_rate(std::string_view text) {
  static constexpr std::array<Unit, 4> kUnits{
      {{"bit", 1}, {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}}};
  const auto bps = with_unit(text, kUnits);
  if (!bps || *bps < static_cast<double>(kMinRate.bps()) ||
      *bps > static_cast<double>(kMaxRate.bps())) {
    return bad(text,
               "rate: write a number and kbit, mbit or gbit (a second), 1kbit to 1gbit, as 2mbit");
  }
  return DataRate::from_bps(std::llround(*bps));
}

Result<ByteCount> parse_bytes(std::string_view text) {
  static constexpr std::array<Unit, 5> kUnits{
      {{"b", 1}, {"kb", 1e3}, {"mb", 1e6}, {"kib", 1024}, {"mib", 1024 * 1024}}};
  const auto bytes = with_unit(text, kUnits);
  if (!bytes || *bytes > 1e12) {
    return bad(text, "size: write a number and B, kB, KiB, MB or MiB, as 120kB");
  }
  return ByteCount(std::llround(*bytes));
}

Result<double> parse_share(std::string_view text) {
  static constexpr std::array<Unit, 2> kUnits{{{"%", 0.01}, {"", 1}}};
  const auto share = with_unit(text, kUnits);
  if (!share || *share > 1) return bad(text, "share: write 0% to 100%, as 0.5%");
  return *share;
}

Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t max) {
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (text.empty() || error != std::errc{} || end != last || value > max) {
    return bad(text, "whole number from 0 to " + std::to_string(max));
  }
  return value;
}

}  // namespace qvid::lab
