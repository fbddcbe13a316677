// One sender over the dumbbell: an application, a latency controller as in the session engine, and
// the kernel's TCP under both; at the far end a reader that acknowledges what has come in order.
//
// The application makes video frames at a rate (of what waits longer than a few frames the oldest
// is dropped, as layers are) or always has more.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lab/simulator/bottleneck.h"
#include "lab/simulator/event_loop.h"
#include "lab/simulator/tcp.h"
#include "transport/control/controller.h"
#include "transport/control/hystart_switch.h"

namespace qvid::lab::simulator {

struct FlowOptions {
  std::string kind = "pace";        // for reports
  std::string controller = "pace";  // as make_controller knows it
  CongestionControl congestion_control = CongestionControl::kCubic;
  DataRate demand;  // zero: always has more
  Timestamp start{};
  Duration wall_clock{};  // ahead of the loop's
  Timestamp stop = kNever;
  bool sample_socket = true;  // else the controller never sees the kernel
  std::uint64_t seed = 1;
};

// What happened in one slot of 100 ms, the thesis's slot for `oldest unacked`.
struct FlowSlot {
  Duration oldest_unacked{};  // max(largest round trip acknowledged, age of the oldest unacked)
  std::int64_t acked = 0;     // bytes of content
  paceline::ControllerSignals signals;
};
inline constexpr Duration kSlot = 100ms;

class Flow {
 public:
  // `transmit` takes a segment to the bottleneck.
  Flow(EventLoop& loop, const FlowOptions& options, TcpSender::Transmit transmit);

  // A segment came through the bottleneck to the receiver, half a round trip after which the
  // acknowledgements, the kernel's and the application's, are back.
  void on_segment(const Packet& packet, Duration way_back);

  const FlowOptions& options() const { return options_; }
  const std::vector<FlowSlot>& slots() const { return slots_; }  // from the flow's start
  const TcpSender& tcp() const { return tcp_; }
  const paceline::Controller& controller() const { return *controller_; }

 private:
  struct Record {
    std::int64_t end;
    std::int64_t bytes;
    Timestamp written;
  };

  void on_hello();
  void make_frame();
  void end_slot();
  void pump();
  std::int64_t produce(Timestamp now);  // bytes
  void note_written(std::int64_t bytes);
  bool running() const { return loop_.now() >= options_.start && loop_.now() < options_.stop; }
  void on_app_ack(std::int64_t next);

  EventLoop& loop_;
  FlowOptions options_;
  std::unique_ptr<paceline::Controller> controller_;
  paceline::HyStartSwitch hystart_;  // as a session has it
  TcpSender tcp_;
  TcpReceiver receiver_;
  std::mt19937_64 random_;

  std::deque<std::int64_t> frames_;  // bytes left of each
  std::deque<Record> outstanding_;
  std::int64_t written_ = 0;
  std::int64_t unacked_ = 0;
  bool greeted_ = false;
  bool gate_waited_ = false;
  Timestamp wake_ = kNever;
  Timestamp last_back_{};

  Duration largest_rtt_{};
  std::int64_t acked_in_slot_ = 0;
  std::vector<FlowSlot> slots_;
};

}  // namespace qvid::lab::simulator
