// ADAPT, also PaceA: the kernel's window is estimated from P-ACKs alone, and MIN_BUF is kept on it.
//
//   cwnd' = rtt_signal·(1 - pressure)·bw⁻ + rtt·pressure·bw⁺     (000 equation 3.7)
//   rtt_signal = rtt⁻ if rtt / rtt⁻ >= 2 else rtt                (queueing in the socket,
//   section 3.3) unacked <= A·cwnd' + min(B segments, cwnd')                  (001, MIN_BUF)
//
// Invariant: the window is at least one segment, so acknowledgements never end.
#pragma once

#include "transport/control/bandwidth_estimator.h"
#include "transport/control/controller.h"

namespace paceline {

class AdaptController : public Controller {
 public:
  explicit AdaptController(const ControllerOptions& options)
      : options_(options), window_(initial_window()) {}

  std::string_view name() const override { return "adapt"; }
  ByteCount allowance(Timestamp) const override { return window_ - unacked_; }
  void on_written(ByteCount bytes, Timestamp) override { unacked_ += bytes; }
  void on_acked(const AckSample& ack, Timestamp now) override;
  void on_socket(const SocketSample&, Timestamp) override {}
  void on_new_socket(Timestamp now) override;
  bool needs_socket() const override { return false; }
  ControllerSignals signals() const override;

 private:
  ByteCount initial_window() const;
  ByteCount min_buf(double cwnd) const;
  void add_round_trip(double sample);

  ControllerOptions options_;
  double rtt_ = 0;      // seconds, by ewma; zero: no sample yet
  double rtt_low_ = 0;  // by ewma⁻
  BandwidthEstimator bandwidth_;
  ByteCount window_;
  ByteCount unacked_;
};

}  // namespace paceline
