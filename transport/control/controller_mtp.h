// MTP: TCP Reno's window, for content that goes by datagrams. What is lost is sent again only while
// it is of use; else what is newer has its place. So who sends media takes what one TCP flow would
// take, and waits for no repair. For comparison: `pace` does better for a call.
//
//   an acknowledgement, below the threshold   w ← w + what it acknowledges     slow start
//                       from there on         w ← w + chunk · that / w         congestion avoidance
//   a loss, once in a round trip              w ← threshold ← half of it, for a round trip
//   nothing for a time-out                    w ← a chunk, threshold as above
//
// Source: 004 section 5.2.1 (Reno, RFC 5681). Datagrams are acknowledged one by one, so that the
// thesis's inflation of the window by replacements is nothing here but what is still under way.
// Over TCP alone it hears of no loss, and is always open, as `none` is.
#pragma once

#include <algorithm>
#include <cmath>

#include "transport/control/controller.h"
#include "transport/control/rtt_estimator.h"

namespace paceline {

class MtpController : public Controller {
 public:
  explicit MtpController(const ControllerOptions& options)
      : chunk_(static_cast<double>(std::max(options.mss, ByteCount(1)).value())) {}

  std::string_view name() const override { return "mtp"; }
  bool needs_socket() const override { return false; }
  void on_socket(const SocketSample&, Timestamp) override {}
  // Whole chunks, as TCP counts its window in segments: one goes where most of it fits.
  ByteCount allowance(Timestamp) const override {
    return ByteCount(static_cast<std::int64_t>((whole_chunks() - 0.5) * chunk_)) - outstanding_;
  }

  void on_written(ByteCount bytes, Timestamp now) override {
    if (outstanding_ <= ByteCount()) heard_ = now;
    outstanding_ += bytes;
    written_ += bytes;
    if (allowance(now) <= ByteCount()) proves_to_ = written_;
  }

  void on_outstanding(ByteCount bytes, Timestamp) override { outstanding_ = bytes; }

  void on_acked(const AckSample& ack, Timestamp now) override {
    if (rtt_.valid() && now > heard_ + time_out()) {
      reduce();
      window_ = chunk_;
    }
    heard_ = now;
    // A window that was not full is no measure of the path (RFC 7661).
    const bool proves = written_ - outstanding_ < proves_to_;
    const bool recovers = written_ - outstanding_ < recovered_at_;
    outstanding_ = ack.unacked;
    if (ack.rtt > Duration::zero()) rtt_.add(ack.rtt);
    if (!proves || (recovers && window_ >= threshold_)) return;
    const auto acked = static_cast<double>(ack.acked.value());
    window_ = window_ < threshold_
                  ? std::min(window_ + acked, threshold_)
                  : std::min(window_ + chunk_ * std::min(acked / window_, 1.0), kMostBytes);
  }

  void on_lost(Timestamp) override {
    if (written_ - outstanding_ >= recovered_at_) reduce();
  }

  void on_new_socket(Timestamp) override {
    window_ = kInitialChunks * chunk_;
    threshold_ = kMostBytes;
    outstanding_ = written_ = proves_to_ = recovered_at_ = {};
    rtt_ = {};
  }

  ControllerSignals signals() const override {
    return {.window = ByteCount(static_cast<std::int64_t>(window_)), .bandwidth = {}};
  }

 private:
  static constexpr double kInitialChunks = 10;  // RFC 6928, as the kernel's
  static constexpr double kLeastChunks = 2;     // RFC 5681
  static constexpr double kMostBytes = 1e9;
  static constexpr Duration kLeastVariation = std::chrono::milliseconds(200);  // the kernel's

  Duration time_out() const { return rtt_.rtt() + std::max(4 * rtt_.variation(), kLeastVariation); }
  // To the nearest: rounded down, 25 flows had .85 of the kernel's at 5% of loss; where a part of a chunk
  // let a whole one go, 1.2 at 10% (docs/results.md, figure 5.19).
  double whole_chunks() const { return std::max(std::round(window_ / chunk_), 1.0); }
  void reduce() {
    window_ = threshold_ = chunk_ * std::max(std::floor(whole_chunks() / 2), kLeastChunks);
    recovered_at_ = written_;
  }

  double chunk_;                             // bytes
  double window_ = kInitialChunks * chunk_;  // bytes
  double threshold_ = kMostBytes;
  ByteCount outstanding_;
  ByteCount written_;
  ByteCount proves_to_;     // of what is written: with it the window was full
  ByteCount recovered_at_;  // of what is written: acknowledged so far, a loss is another one
  Timestamp heard_{};
  RttEstimator rtt_;
};

}  // namespace paceline
