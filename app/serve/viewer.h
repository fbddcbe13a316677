// What the server does for one client that watches something, from its request to its end: live
// video (live_viewer.h) or a stored one (stored_viewer.h).
//
// It tells its client itself what it gives (`playing`) and how that goes on. Ownership: the
// client's connection; the session outlives it. Thread: the io_context's.
#pragma once

#include <cstdint>
#include <functional>

#include "app/protocol/play_protocol.h"
#include "transport/wire/message.h"

namespace qvid::app {

struct ViewerStats {
  std::int64_t frames = 0;
  std::int64_t units_sent = 0;       // delivered whole
  std::int64_t units_cancelled = 0;  // some or all of it, or lost with the session
  std::int64_t units_not_sent = 0;   // could not have been decoded
  std::int64_t late_outputs = 0;
  std::int64_t sound_sent = 0;  // packets, delivered
  std::int64_t sound_late = 0;  // refused, or cancelled at their playing time

  ViewerStats& operator+=(const ViewerStats& o) {
    frames += o.frames;
    units_sent += o.units_sent;
    units_cancelled += o.units_cancelled;
    units_not_sent += o.units_not_sent;
    late_outputs += o.late_outputs;
    sound_sent += o.sound_sent;
    sound_late += o.sound_late;
    return *this;
  }
};

// Sends a message to the viewer's client.
using Tell = std::function<void(const ServerMessage&)>;

class Viewer {
 public:
  virtual ~Viewer() = default;
  // Once, before all else.
  virtual void start() = 0;
  // What the client says after its request to play. False: nothing that this video knows.
  virtual bool on_request(const ClientMessage& request) = 0;
  virtual void on_message_ended(const paceline::MessageEnded& ended) = 0;
  virtual void on_path_rate(const paceline::PathRate& /*path*/) {}
  virtual ViewerStats stats() const = 0;
};

}  // namespace qvid::app
