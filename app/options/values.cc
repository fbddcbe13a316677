#include "app/options/values.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace qvid::app {
namespace {

constexpr double kMinFps = 1;
constexpr double kMaxFps = 120;
constexpr double kMinBps = 50e3;
constexpr double kMaxBps = 100e6;

// The whole text as a number.
template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Error bad(std::string_view text, const std::string& what) {
  return Error{in_quotes(text) + " is no " + what};
}

}  // namespace

Result<media::PictureSize> parse_size(std::string_view text) {
  const auto cross = text.find('x');
  if (cross == std::string_view::npos) return bad(text, "size: write WIDTHxHEIGHT, as 1280x720");
  const auto width = number<int>(text.substr(0, cross));
  const auto height = number<int>(text.substr(cross + 1));
  if (!width || !height) return bad(text, "size: write WIDTHxHEIGHT, as 1280x720");
  const media::PictureSize size{*width, *height};
  if (!media::is_supported(size) || size.width % 2 != 0 || size.height % 2 != 0) {
    return bad(text, "size that works: even numbers from " + std::to_string(media::kMinSide) +
                         " to " + std::to_string(media::kMaxSide));
  }
  return size;
}

Result<FrameRate> parse_rate(std::string_view text) {
  const Error wrong = bad(text, "frame rate that works: 1 to 120 a second, as 30 or 30000/1001");
  FrameRate rate;
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    const auto numerator = number<std::int32_t>(text.substr(0, slash));
    const auto denominator = number<std::int32_t>(text.substr(slash + 1));
    if (!numerator || !denominator || *numerator <= 0 || *denominator <= 0 ||
        *numerator > FrameRate::kMaxNumerator || *denominator > FrameRate::kMaxDenominator) {
      return wrong;
    }
    rate = {*numerator, *denominator};
  } else {
    const auto value = number<double>(text);
    if (!value || !(*value >= kMinFps && *value <= kMaxFps)) return wrong;
    const double whole = std::round(*value);
    // 29.97 and its kin are n·1000/1001.
    if (std::abs(*value - whole) < 1e-9) {
      rate = {static_cast<std::int32_t>(whole), 1};
    } else if (*value < whole && std::abs(*value - whole * 1000 / 1001) < 0.005) {
      rate = {static_cast<std::int32_t>(whole) * 1000, 1001};
    } else {
      rate = {static_cast<std::int32_t>(std::lround(*value * 1000)), 1000};
    }
  }
  if (rate.per_second() < kMinFps || rate.per_second() > kMaxFps) return wrong;
  return rate;
}

Result<Duration> parse_place(std::string_view text) {
  const Error wrong = bad(text, "place in a video: write it as 1:02:03, 2:03 or 123s");
  constexpr double kMaxSeconds = 366.0 * 24 * 3600;
  std::string_view rest = text;
  if (rest.ends_with('s') && rest.find(':') == std::string_view::npos) rest.remove_suffix(1);
  double seconds = 0;
  int parts = 0;
  for (;; ++parts) {
    const auto colon = rest.find(':');
    const auto part = number<double>(rest.substr(0, colon));
    // Behind a colon only what a clock shows.
    if (!part || !(*part >= 0 && *part <= kMaxSeconds) || (parts > 0 && *part >= 60)) return wrong;
    seconds = seconds * 60 + *part;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (parts > 2 || seconds > kMaxSeconds) return wrong;
  return from_seconds(seconds);
}

Result<std::chrono::seconds> parse_validity(std::string_view text) {
  const Error wrong = bad(text, "time that works: 1s to 3650d, as 90s, 45m, 24h or 30d");
  constexpr std::int64_t kMost = std::int64_t{3650} * 24 * 3600;
  if (text.empty()) return wrong;
  std::int64_t unit = 0;
  switch (text.back()) {
    case 's': unit = 1; break;
    case 'm': unit = 60; break;
    case 'h': unit = 3600; break;
    case 'd': unit = 24 * 3600; break;
    default: return wrong;
  }
  const auto count = number<std::int64_t>(text.substr(0, text.size() - 1));
  if (!count || *count < 1 || *count > kMost / unit) return wrong;
  return std::chrono::seconds(*count * unit);
}

Result<DataRate> parse_bitrate(std::string_view text) {
  double unit = 1;
  std::string_view digits = text;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k':
      case 'K': unit = 1e3; break;
      case 'm':
      case 'M': unit = 1e6; break;
      default: break;
    }
    if (unit > 1) digits.remove_suffix(1);
  }
  const auto value = number<double>(digits);
  if (!value || !(*value * unit >= kMinBps && *value * unit <= kMaxBps)) {
    return bad(text, "bitrate that works: 50k to 100M bits a second, as 2500k or 2.5M");
  }
  return DataRate::from_bps(std::llround(*value * unit));
}

}  // namespace qvid::app
