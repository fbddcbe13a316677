#include "transport/control/controller_adapt.h"

#include <algorithm>

namespace paceline {
namespace {

constexpr std::int64_t kInitialSegments = 10;  // the kernel's initial window, RFC 6928
constexpr double kLeastSegments = 2;           // TCP's own floor after a loss, RFC 5681
constexpr double kSmooth = 0.875;              // the weight RFC 6298 gives to the past
constexpr double kHeavy = 0.999;    // "heavily" in 000 section 3.2.1: half in 700 samples
constexpr double kUnstable = 2;     // rtt / rtt⁻, 000 section 3.3
constexpr double kMostBytes = 1e9;  // keeps sums of windows far from overflow

}  // namespace

ByteCount AdaptController::initial_window() const {
  return min_buf(static_cast<double>(options_.mss.value() * kInitialSegments));
}

ByteCount AdaptController::min_buf(double cwnd) const {
  const double slack = static_cast<double>(options_.min_buf_b * options_.mss.value());
  const double bytes = options_.min_buf_a * cwnd + std::min(slack, cwnd);
  return ByteCount(static_cast<std::int64_t>(
      std::clamp(bytes, static_cast<double>(options_.mss.value()), kMostBytes)));
}

void AdaptController::add_round_trip(double sample) {
  const bool first = rtt_ <= 0;
  rtt_ = first ? sample : (1 - kSmooth) * sample + kSmooth * rtt_;
  rtt_low_ = first || sample <= rtt_low_ ? sample : (1 - kHeavy) * sample + kHeavy * rtt_low_;
}

void AdaptController::on_acked(const AckSample& ack, Timestamp now) {
  unacked_ = ack.unacked;
  if (ack.rtt > Duration::zero()) add_round_trip(qvid::to_seconds(ack.rtt));
  bandwidth_.on_acked(ack.acked, now);
  if (ack.unacked <= ByteCount()) bandwidth_.on_idle();
  if (rtt_ <= 0 || !bandwidth_.valid()) return;
  const double signal = rtt_ >= kUnstable * rtt_low_ ? rtt_low_ : rtt_;
  const double pressure = bandwidth_.pressure();
  const double cwnd =
      signal * (1 - pressure) * bandwidth_.low() + rtt_ * pressure * bandwidth_.high();
  window_ = min_buf(std::max(cwnd, kLeastSegments * static_cast<double>(options_.mss.value())));
}

void AdaptController::on_new_socket(Timestamp) {
  rtt_ = rtt_low_ = 0;
  bandwidth_ = {};
  unacked_ = {};
  window_ = initial_window();
}

ControllerSignals AdaptController::signals() const {
  return {
      .window = window_,
      .bandwidth = qvid::DataRate::from_bps(static_cast<std::int64_t>(8 * bandwidth_.average())),
      .pressure = bandwidth_.pressure(),
      .base_rtt = qvid::from_seconds(rtt_low_)};
}

}  // namespace paceline
