// Bytes that say nothing, sent to measure a path: as many as go within a time.
//
// Bounds: kAhead not delivered, all due at the end, when what is left is cancelled. Pure. Thread: the
// port's.
#pragma once

#include "pubsub/broker/port.h"

namespace qps {

class Filling {
 public:
  // Of one message: fits what every server takes, and is small beside what a slow path takes in a
  // second.
  static constexpr qvid::ByteCount kMessage{4096};
  // More than any path holds that such a measurement fills.
  static constexpr qvid::ByteCount kAhead{4 * 1024 * 1024};

  // `stream`: of its own. Nothing is sent before on_ended or fill.
  Filling(Port& port, paceline::StreamId stream, qvid::ByteCount most, qvid::Timestamp ends);

  void fill(qvid::Timestamp now);
  // Of any message of that session; true: it was one of these, and more has followed.
  bool on_ended(const paceline::MessageEnded& ended, qvid::Timestamp now);
  qvid::ByteCount delivered() const { return delivered_; }

 private:
  Port& port_;
  paceline::StreamId stream_;
  qvid::ByteCount left_;
  qvid::Timestamp ends_;
  qvid::Payload bytes_;
  qvid::ByteCount under_way_{};
  qvid::ByteCount delivered_{};
  std::uint64_t sent_ = 0;  // messages
};

}  // namespace qps
