// What a page is there for: to be in a room (guest.h), or to watch what a server shows (watch.h).
// Thread: the worker's.
#pragma once

#include <optional>
#include <span>

#include "base/units.h"
#include "media/picture/video_frame.h"
#include "transport/session/session_config.h"

namespace qvid::web {

class Visit {
 public:
  virtual ~Visit() = default;

  // Every few milliseconds, and after whatever comes.
  virtual void turn(Timestamp now) = 0;
  // Nothing ran here until now, as in a process that was stopped: what has come meanwhile is told next.
  virtual void on_stood(Timestamp now) = 0;
  // `picture`: the browser's number of it, which is this one's from here on; none: it could not be
  // decoded.
  virtual void on_decoded(int ticket, std::optional<int> picture, media::PictureSize size,
                          Timestamp now) = 0;
  // Stereo samples; none: the packet could not be decoded.
  virtual void on_sound_decoded(int ticket, std::span<const float> stereo, Timestamp now) = 0;
  // The output asks for a turn, the first frame of which is heard at `heard`.
  virtual std::span<const float> sound_turn(Timestamp heard) = 0;
  virtual void leave() = 0;
};

// Of what goes by a browser's sockets.
inline paceline::SessionConfig page_session() {
  paceline::SessionConfig config;
  config.datagrams = paceline::Datagrams::kNever;
  config.small_segments = false;  // a page cannot ask for them
  return config;
}

}  // namespace qvid::web
