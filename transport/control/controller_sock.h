// SOCK: keeps the bytes in the socket near  A·cwnd + min(B, cwnd)  segments, MIN_BUF(1, 3) by
// default: enough for the kernel to fill its window, and no backlog that can no longer be
// reordered. Source: 000 section 3.2, 001 (MIN_BUF and its tables I-III); with SACK, plus the
// SACKed-out segments.
//
// Where the kernel tells nothing (on_socket is never called) it falls back to a fixed window on
// what the peer application has not acknowledged.
#pragma once

#include <algorithm>

#include "transport/control/controller.h"

namespace paceline {

class SockController : public Controller {
 public:
  explicit SockController(const ControllerOptions& options)
      : a_(options.min_buf_a), b_(options.min_buf_b) {}

  std::string_view name() const override { return "sock"; }
  bool needs_socket() const override { return true; }
  // An unpaced window leaves as one train, and the slack behind it waits a whole turn.
  bool wants_kernel_pacing() const override { return true; }

  ByteCount allowance(Timestamp) const override { return limit_ - level_; }

  void on_written(ByteCount bytes, Timestamp) override { level_ += bytes; }

  void on_acked(const AckSample& ack, Timestamp) override {
    if (!sampled_) level_ = ack.unacked;
  }

  void on_socket(const SocketSample& s, Timestamp) override {
    sampled_ = true;
    const std::int64_t segments =
        std::int64_t{a_} * s.cwnd + std::min(b_, s.cwnd) + std::int64_t{s.sacked};
    limit_ = s.mss * segments;
    level_ = s.unacked;
  }

  void on_new_socket(Timestamp) override {
    sampled_ = false;
    limit_ = kBlindWindow;
    level_ = {};
  }

  ControllerSignals signals() const override { return {.window = limit_, .bandwidth = {}}; }

 private:
  static constexpr ByteCount kBlindWindow{64 * 1024};

  std::uint32_t a_;
  std::uint32_t b_;
  bool sampled_ = false;
  ByteCount limit_ = kBlindWindow;
  ByteCount level_;
};

}  // namespace paceline
