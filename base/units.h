// Strong types for time, bytes and rates: no bare integer of milliseconds or bytes in an interface.
//
// Time is the steady clock's. It is read once per turn of a loop (base/clock.h) and handed down;
// nothing in an engine reads a clock.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>

namespace qvid {

using Duration = std::chrono::nanoseconds;
using Timestamp = std::chrono::time_point<std::chrono::steady_clock, Duration>;

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ns;

// A time that never comes: "no timer is set".
inline constexpr Timestamp kNever = Timestamp::max();

// For reports: a duration as a fraction of milliseconds or seconds.
constexpr double to_ms(Duration d) { return std::chrono::duration<double, std::milli>(d).count(); }
constexpr double to_seconds(Duration d) { return std::chrono::duration<double>(d).count(); }
constexpr Duration from_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

// A number of bytes. May be negative as the difference of two.
class ByteCount {
 public:
  constexpr ByteCount() = default;
  constexpr explicit ByteCount(std::int64_t bytes) : bytes_(bytes) {}
  // Sizes of objects in memory always fit: no object is larger than half the address space.
  static constexpr ByteCount of(std::size_t size) {
    return ByteCount(static_cast<std::int64_t>(size));
  }
  static constexpr ByteCount max() {
    return ByteCount(std::numeric_limits<std::int64_t>::max() / 4);
  }

  constexpr std::int64_t value() const { return bytes_; }
  // For use as a size. Precondition: not negative.
  constexpr std::size_t size() const { return static_cast<std::size_t>(bytes_); }

  constexpr auto operator<=>(const ByteCount&) const = default;
  constexpr ByteCount& operator+=(ByteCount o) { return bytes_ += o.bytes_, *this; }
  constexpr ByteCount& operator-=(ByteCount o) { return bytes_ -= o.bytes_, *this; }
  friend constexpr ByteCount operator+(ByteCount a, ByteCount b) { return a += b; }
  friend constexpr ByteCount operator-(ByteCount a, ByteCount b) { return a -= b; }
  friend constexpr ByteCount operator*(ByteCount a, std::int64_t k) {
    return ByteCount(a.bytes_ * k);
  }
  friend constexpr ByteCount operator/(ByteCount a, std::int64_t k) {
    return ByteCount(a.bytes_ / k);
  }

 private:
  std::int64_t bytes_ = 0;
};

constexpr ByteCount operator""_B(unsigned long long n) {
  return ByteCount(static_cast<std::int64_t>(n));
}
constexpr ByteCount operator""_KiB(unsigned long long n) {
  return ByteCount(static_cast<std::int64_t>(n) * 1024);
}
constexpr ByteCount operator""_MiB(unsigned long long n) {
  return ByteCount(static_cast<std::int64_t>(n) * 1024 * 1024);
}

// Bits per second.
class DataRate {
 public:
  constexpr DataRate() = default;
  static constexpr DataRate from_bps(std::int64_t bps) { return DataRate(bps); }
  static constexpr DataRate from_kbps(std::int64_t kbps) { return DataRate(kbps * 1000); }
  // The mean rate of `bytes` in `time`; zero where no time has passed.
  static constexpr DataRate of(ByteCount bytes, Duration time) {
    if (time <= Duration::zero()) return {};
    return DataRate(
        static_cast<std::int64_t>(static_cast<double>(bytes.value()) * 8.0 / to_seconds(time)));
  }

  constexpr std::int64_t bps() const { return bps_; }
  constexpr double kbps() const { return static_cast<double>(bps_) / 1e3; }
  constexpr double mbps() const { return static_cast<double>(bps_) / 1e6; }

  // How long `bytes` take at this rate. Precondition: the rate is positive.
  constexpr Duration transfer_time(ByteCount bytes) const {
    return from_seconds(static_cast<double>(bytes.value()) * 8.0 / static_cast<double>(bps_));
  }
  constexpr ByteCount bytes_in(Duration time) const {
    return ByteCount(static_cast<std::int64_t>(static_cast<double>(bps_) / 8.0 * to_seconds(time)));
  }
  friend constexpr DataRate operator+(DataRate a, DataRate b) { return DataRate(a.bps_ + b.bps_); }
  friend constexpr DataRate operator-(DataRate a, DataRate b) { return DataRate(a.bps_ - b.bps_); }
  friend constexpr DataRate operator*(DataRate rate, double factor) {
    return DataRate(static_cast<std::int64_t>(static_cast<double>(rate.bps_) * factor));
  }
  constexpr auto operator<=>(const DataRate&) const = default;

 private:
  constexpr explicit DataRate(std::int64_t bps) : bps_(bps) {}
  std::int64_t bps_ = 0;
};

// Frames per second as a fraction, so that 30000/1001 has no drift.
// Invariant: both are positive, numerator <= kMaxNumerator, denominator <= kMaxDenominator, so that
// time_of cannot overflow.
struct FrameRate {
  static constexpr std::int32_t kMaxNumerator = 1'000'000;
  static constexpr std::int32_t kMaxDenominator = 9'000;

  std::int32_t numerator = 30;
  std::int32_t denominator = 1;

  // When frame `count` comes, counted from frame 0. Exact to a nanosecond for days of video.
  constexpr Duration time_of(std::int64_t count) const {
    const std::int64_t whole = count / numerator;
    const std::int64_t rest = count % numerator;
    const std::int64_t second = std::chrono::nanoseconds(1s).count();
    return Duration(whole * denominator * second + rest * denominator * second / numerator);
  }
  constexpr Duration frame_time() const { return time_of(1); }
  constexpr double per_second() const {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  constexpr bool operator==(const FrameRate&) const = default;
};

}  // namespace qvid
