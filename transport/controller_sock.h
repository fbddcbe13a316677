// SOCK: keeps the bytes in the socket near  A·cwnd + min(B, cwnd)  segments, MIN_BUF(1, 3) by
// default: enough for the kernel to fill its window, and no backlog that can no longer be
// reordered. Source: 000 section 3.2, 001 (MIN_BUF and its tables I-III); with SACK, plus the
// SACKed-out segments.
//
// Where the kernel tells nothing (on_socket is never called) it falls back to a fixed window on
// what the peer application has not acknowledged.
#pragma once

#include <algorithm>

#include "transport/controller.h"

namespace paceline {

class SockController : public Controller {
 public:
  explicit SockController(std::uint32_t a = 1, std::uint32_t b = 3) : a_(a), b_(b) {}

  std::string_view name() const override { return "sock"; }
  bool needs_socket() const override { return true; }

  ByteCount allowance(Timestamp) const override { return limit_ - level_; }

  void on_written(ByteCount bytes, Timestamp) override { level_ += bytes; }

  void on_acked(ByteCount, ByteCount unacked, Timestamp) override {
    if (!sampled_) level_ = unacked;
  }

  void on_socket(const SocketSample& s, Timestamp) override {
    sampled_ = true;
    const std::int64_t segments =
        std::int64_t{a_} * s.cwnd + std::min(b_, s.cwnd) + std::int64_t{s.sacked};
    limit_ = s.mss * segments;
    level_ = s.unacked;
  }

 private:
  static constexpr ByteCount kBlindWindow = ByteCount(64 * 1024);

  std::uint32_t a_;
  std::uint32_t b_;
  bool sampled_ = false;
  ByteCount limit_ = kBlindWindow;
  ByteCount level_;
};

}  // namespace paceline
