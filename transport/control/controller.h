// The latency controller decides how much may be written to the socket now. One class each behind
// this interface, fed with events; no socket and no clock inside.
//
// A controller may count on: on_written for every byte of content that goes to a socket or by datagrams; on_acked
// for every acknowledgement by the peer application's end (P-ACK); on_new_socket when a failover or
// a planned move takes the content to another socket. Thread: the engine's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/wire/message.h"

namespace paceline {

// What the kernel says of the sending socket (Linux TCP_INFO, SIOCOUTQ, SIOCOUTQNSD).
struct SocketSample {
  std::uint32_t cwnd = 0;    // segments
  std::uint32_t sacked = 0;  // segments acknowledged out of order
  ByteCount mss;
  // In the socket: unsent, or sent and not acknowledged by the peer's kernel; as a controller is told
  // it, in those of stripes, too.
  ByteCount unacked;
  ByteCount unsent;  // of these, not sent yet
  // By a loss, ECN, HyStart or what the kernel remembers of the peer.
  bool slow_start_over = false;
  // A loss, or what may be one; what that did to the window it may still undo.
  bool repairs = false;
  // False: the content goes by datagrams, and this window limits none of it.
  bool carries = true;

  // What has not reached the peer's kernel: a packet that was lost holds up what is behind it at
  // the application, and not on the path.
  ByteCount under_way() const {
    return std::max(ByteCount(), unacked - mss * static_cast<std::int64_t>(sacked));
  }
};

// One P-ACK.
struct AckSample {
  ByteCount acked;  // newly acknowledged by it
  // What the peer application has still not acknowledged; of datagrams those on the way.
  ByteCount unacked;
  // The smallest round trip over what it acknowledges (000 section 3.2); zero: no valid sample,
  // since it may be of what was written to the channel before.
  Duration rtt{};
  // Since the acknowledgement before, content waited for the controller's gate. Where it did not,
  // the application is the bottleneck and the window proves nothing.
  bool gate_limited = false;
};

// For monitoring and for the session's decisions; what a controller does not estimate stays zero.
struct ControllerSignals {
  ByteCount window;          // what it wants to have outstanding, at the most
  qvid::DataRate bandwidth;  // bw, smoothed
  double pressure = 0;       // 000 equation 3.6; 0..1
  Duration base_rtt{};       // what it takes for the round trip with an empty queue
  bool competing = false;    // it holds its share against loss-based flows
  bool looks = false;        // at the path without its own queue: less goes meanwhile
  qvid::DataRate share{};    // what it lets through then; zero where it does not compete
};

// A segment's worth (the papers' 1400 B).
inline constexpr ByteCount kWholeChunk{1400};

struct ControllerOptions {
  std::string name = "pace";  // pace, adapt, sock, mtp, none
  // MIN_BUF(A, B), in segments: adapt and sock keep about A·cwnd + min(B, cwnd) in the socket.
  std::uint32_t min_buf_a = 1;
  std::uint32_t min_buf_b = 3;
  ByteCount mss = kWholeChunk;  // assumed where the kernel does not tell
  // What the wall's clock (UTC) is ahead of the `now` of events. Flows of several hosts look at the
  // queue at the same moments of it; a clock that is wrong costs delay and some fairness.
  // A session adds its machine's: what is here is how wrong that is.
  qvid::Duration wall_clock{};
};

class Controller {
 public:
  virtual ~Controller() = default;
  virtual std::string_view name() const = 0;
  // Bytes that may be written now; zero or less closes the gate.
  virtual ByteCount allowance(Timestamp now) const = 0;
  // When time alone opens a gate that is closed now (pacing); kNever: only an event will.
  virtual Timestamp opens_at(Timestamp /*now*/) const { return qvid::kNever; }
  // What may be written now to further sockets of the session, where the active one's kernel takes
  // no more (stripes.h), and when time alone lets that go on; zero and kNever for who keeps to one.
  virtual ByteCount elsewhere(Timestamp /*now*/) const { return {}; }
  virtual Timestamp elsewhere_at(Timestamp /*now*/) const { return qvid::kNever; }
  virtual void on_written(ByteCount bytes, Timestamp now) = 0;
  virtual void on_acked(const AckSample& ack, Timestamp now) = 0;
  // So much is outstanding now, although nothing was acknowledged: the rest was lost, or goes another
  // way or nowhere.
  virtual void on_outstanding(ByteCount /*bytes*/, Timestamp /*now*/) {}
  // A datagram of its content was lost; over TCP the kernel has noticed, and P-ACKs tell.
  virtual void on_lost(Timestamp /*now*/) {}
  // It steers by delay: a loss is no sign for it, and which of a session's ways carry the content is
  // all the same. Else it shares the line as a TCP flow does.
  virtual bool steers_by_delay() const { return false; }
  virtual void on_socket(const SocketSample& sample, Timestamp now) = 0;
  // Content goes on over another socket, whose congestion window is new. What is outstanding will
  // be written again (a failover) or is nothing (a planned move).
  virtual void on_new_socket(Timestamp now) = 0;
  // Nothing came through for a while, and now something does: nothing is known of the path but its
  // length. On the way is what on_outstanding says next.
  virtual void on_outage_over(Timestamp /*now*/) {}
  // Whether on_socket is of any use to it: sampling costs system calls. The engine then samples
  // before every write, where the system can.
  virtual bool needs_socket() const = 0;
  // Whether the kernel, where it can, should spread a window's segments over the round trip. It
  // costs a timer for each, which shows on fast paths; who paces does not need it.
  virtual bool wants_kernel_pacing() const { return false; }
  // What goes at once at the least, where there is as much; less than a whole chunk where that were
  // much of the window.
  virtual ByteCount least_chunk() const { return kWholeChunk; }
  // The kernel's segment, where its window, which counts segments, is the limit; zero: bytes are.
  virtual ByteCount kernel_segment() const { return {}; }
  // Whether the kernel's slow start, until it is over, should do without HyStart, which takes the queue
  // of others for its own.
  virtual bool wants_no_hystart() const { return false; }
  // What the path carries, while it is known to carry suddenly less than was sent; zero else.
  virtual qvid::DataRate drain_rate() const { return {}; }
  virtual ControllerSignals signals() const = 0;
};

// The error names the choices.
qvid::Result<std::unique_ptr<Controller>> make_controller(const ControllerOptions& options);

}  // namespace paceline
