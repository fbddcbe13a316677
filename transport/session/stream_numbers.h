// The numbers of the streams that one end of a session opens: the end that connected takes the even
// ones from 2 on, the other the odd ones from 1 on, in order. Stream 0 is always there.
//
// So who opens streams for a session at a distance knows their numbers before the session does.
#pragma once

#include "transport/session/session_config.h"

namespace paceline {

class StreamNumbers {
 public:
  explicit StreamNumbers(Side side) : next_(side == Side::kClient ? 2 : 1) {}

  StreamId take() {
    const StreamId stream(next_);
    next_ += 2;
    return stream;
  }
  // This end's to open, stream 0 among them.
  bool own(StreamId stream) const {
    return stream == kFirstStream || stream.value() % 2 == next_ % 2;
  }

 private:
  std::uint32_t next_;
};

}  // namespace paceline
