// What an application chooses for a session; the defaults suit a video call.
#pragma once

#include <limits>

#include "transport/control/controller.h"
#include "transport/datagram/unguessable.h"
#include "transport/wire/message.h"
#include "transport/wire/record.h"

namespace paceline {

enum class Side : std::uint8_t { kClient, kServer };

// Whether content goes by UDP, too, where that passes (datagram_path.h).
enum class Datagrams : std::uint8_t {
  kNever,
  kAuto,  // where they pass: messages in any order while the controller steers by delay, urgent ones
          // always; TCP has the rest, and all where they do not
  kOnly,  // these messages wait for datagrams; a session where none pass ends. For measuring
};

struct SessionConfig {
  Limits limits;  // what this end accepts
  // Of content a second, as this end wants to be sent it, and all versions do that know of it
  // (rate_limiter.h). Zero: no limit.
  qvid::DataRate receive_limit{};
  // Of Limits::max_reassembly, until the application lets the other end in (Session::let_in).
  ByteCount stranger_reassembly = ByteCount(std::numeric_limits<std::int64_t>::max());
  // Bytes of messages that may wait to be sent; beyond, send refuses. Positive.
  ByteCount send_capacity = ByteCount(32 * 1024 * 1024);
  Fairness fairness = Fairness::kResource;
  ControllerOptions controller;

  // Client: established sockets kept for a failover, besides those that carry content. 0..8; more
  // count as 8.
  std::size_t standby = 1;
  // Content moves to another socket when nothing is acknowledged in time (000 equation 4.1). Off:
  // only when its socket breaks; for measuring what failover is worth.
  bool failover = true;
  // Client: a socket for each direction's content, so that acknowledgements never wait behind it.
  bool separate_directions = true;
  // Under severe congestion, content goes over a socket with small segments (003).
  bool small_segments = true;

  // Client: of the random part of the waits between dials. Session gives each its own where it is
  // 0, so that many clients of a server that was lost do not come back at once.
  std::uint64_t dial_seed = 0;

  Datagrams datagrams = Datagrams::kNever;
  // Of numbers that the peer shall not guess; the shell draws it.
  Unguessable::Key datagram_key{};

  // All positive:
  Duration greeting_timeout = std::chrono::seconds(10);  // of a new socket, to say who it is
  Duration ping_interval = std::chrono::seconds(1);      // without other content
  Duration probe_interval = std::chrono::seconds(3);     // of a socket that is silent
  Duration silence_timeout = std::chrono::seconds(10);   // then a socket is given up
  // How long a session without any socket may be resumed; the shorter of the two ends' holds. Zero:
  // not at all.
  Duration resume_limit = std::chrono::seconds(60);
};

}  // namespace paceline
