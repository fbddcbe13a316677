// One look at a session: its signals as numbers with names, for logs and for who shows them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transport/session/signals.h"

namespace paceline {

// The numbers of a sample, in the order of the columns; what each means is said in SessionSignals.
enum class Signal : std::uint8_t {
  kRtt,
  kRttLow,
  kBaseRtt,
  kBandwidth,
  kPressure,
  kWindow,
  kCompeting,
  kUnacked,
  kOldestUnacked,
  kAllowance,
  kQueued,
  kQueuedMessages,
  kSent,
  kAcked,
  kCancelledBytes,
  kDelivered,
  kCancelled,
  kReceived,
  kChannels,
  kFailovers,
  kPeerFailovers,
  kResumptions,
  kInterrupted,
  kSmallSegments,
  kLanesSent,
  kLanesReceived,
  kUdp,
  kDatagramsSent,
  kDatagramsReceived,
  kDatagramsLost,
  kHeld,
};
inline constexpr std::size_t kSignals = 31;
inline constexpr std::array<std::string_view, kSignals> kSignalNames = {
    "rtt_ms",          "rtt_low_ms",         "base_rtt_ms",
    "bandwidth_kbps",  "pressure",           "window_bytes",
    "competing",       "unacked_bytes",      "oldest_unacked_ms",
    "allowance_bytes", "queued_bytes",       "queued_messages",
    "sent_bytes",      "acked_bytes",        "cancelled_bytes",
    "delivered",       "cancelled",          "received_bytes",
    "channels",        "failovers",          "peer_failovers",
    "resumptions",     "interrupted",        "small_segments",
    "lanes_sent",      "lanes_received",     "udp",
    "datagrams",       "datagrams_received", "datagrams_lost",
    "held_ms"};

// A line of a log. The numbers are in the units of their columns, since that is all they are for.
// Invariant: every value is finite and at most kMaxSignal in size, whoever wrote the line.
struct SignalSample {
  static constexpr double kMaxSignal = 1e15;

  struct Queue {
    std::uint32_t stream = 0;
    ByteCount bytes;
  };

  Duration time{};            // since the log began
  std::uint64_t session = 0;  // counted from 1 in the order they were added to the log
  std::string peer;           // printable ASCII without comma and quote
  std::array<double, kSignals> values{};
  std::vector<Queue> queues;  // at most kMaxQueues, those with the most bytes

  double operator[](Signal s) const { return values[static_cast<std::size_t>(s)]; }
};
inline constexpr std::size_t kMaxQueues = 32;

SignalSample sample_of(const SessionSignals& signals, const std::vector<StreamSignals>& streams);

}  // namespace paceline
