// A client's session as the broker uses it: in the program a Paceline session, in tests and under
// the fuzzer whatever they want.
#pragma once

#include <string>

#include "base/result.h"
#include "base/units.h"
#include "transport/wire/message.h"

namespace qps {

// What may wait to be sent to one client; of that, what is never for items.
inline constexpr qvid::ByteCount kMaxWaiting{8 * 1024 * 1024};
inline constexpr qvid::ByteCount kForControl{1024 * 1024};

class Port {
 public:
  virtual ~Port() = default;
  // As in paceline::Session: every message that is taken ends in one MessageEnded.
  virtual qvid::Result<paceline::MessageId> send(paceline::StreamId stream,
                                                 paceline::Message message) = 0;
  virtual void cancel(paceline::MessageId message) = 0;
  virtual paceline::StreamId open_stream() = 0;
  virtual void close_stream(paceline::StreamId stream) = 0;
  // Of its path, with empty queues; zero: not known.
  virtual qvid::Duration round_trip() const = 0;
  // It has joined, or shown that it may do something: it may have as much under way as a member.
  virtual void let_in() = 0;
  // Bytes that it was sent and that wait.
  virtual qvid::ByteCount waiting() const = 0;
  // Nothing more is read from it for so long, from here on (what was read still comes).
  virtual void hold(qvid::Duration time) = 0;
  // The session ends, with the reason told to the other end; Broker::disconnect follows.
  virtual void close(const std::string& reason) = 0;
};

}  // namespace qps
