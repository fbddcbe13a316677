// What a session measures, for monitoring; readable at any time. Zero where nothing was measured
// yet.
#pragma once

#include <cstdint>
#include <string>

#include "transport/wire/message.h"

namespace paceline {

struct SessionSignals {
  // Of the path, as P-ACKs show it.
  Duration rtt{};            // smoothed
  Duration rtt_low{};        // rtt⁻: follows dips at once, rises slowly
  qvid::DataRate bandwidth;  // the controller's estimate, smoothed; zero where it has none
  double pressure = 0;       // 000 equation 3.6; 0..1, of the controllers that know it
  Duration base_rtt{};       // what the controller takes for the round trip with an empty queue
  // With empty queues, as far as it is known.
  Duration empty_rtt() const { return base_rtt > Duration::zero() ? base_rtt : rtt_low; }
  ByteCount window;  // what the controller wants to have outstanding, at the most; zero where it
                     // has no bound
  bool competing = false;

  // Of what this end sends.
  ByteCount unacked;                // written, not acknowledged by the peer application's end
  Duration oldest_unacked{};        // its age
  bool silent = false;              // a way was given up, and nothing was acknowledged since
  ByteCount allowance;              // may be written now; zero or less: the gate is shut
  ByteCount queued;                 // of payload, not written
  std::size_t queued_messages = 0;  // not wholly written
  ByteCount sent;       // records of content, on the wire; those written again count again
  ByteCount acked;      // of these, once each
  ByteCount cancelled;  // payload bytes that were never written
  std::uint64_t messages_delivered = 0;
  std::uint64_t messages_cancelled = 0;

  // Of what it receives.
  ByteCount received;  // all bytes of the protocol, as they come out of TLS
  std::uint64_t messages_received = 0;
  std::uint64_t duplicates = 0;  // records that came again after a failover, and were ignored
  // How long the application holds that before it is of use, as it says itself (Session::set_held):
  // a player its playout delay. Zero: it said nothing.
  Duration held{};

  // Urgent messages on redundant lanes (redundant_lanes.h).
  std::uint64_t lanes_sent = 0;      // records: mostly two a message
  std::uint64_t lanes_received = 0;  // messages
  std::uint64_t striped = 0;         // messages that went over a further socket, whole
  // By datagrams (datagram_path.h).
  std::uint64_t datagrams = 0;           // messages sent
  std::uint64_t datagrams_received = 0;  // messages
  std::uint64_t datagrams_lost = 0;      // of this end's datagrams, as far as it knows
  bool udp = false;                      // the path is open
  bool peer_in_trouble = false;          // the peer has used lanes within the last half minute

  // Of its sockets.
  std::size_t channels = 0;          // those that still greet count too
  std::uint64_t failovers = 0;       // of what this end sends
  std::uint64_t peer_failovers = 0;  // of what it receives
  std::uint64_t resumptions = 0;
  bool interrupted = false;  // no socket now
  bool small_segments = false;
};

struct StreamSignals {
  StreamId stream;
  std::size_t messages = 0;  // not wholly written
  ByteCount bytes;           // of their payload, not written
};

}  // namespace paceline
