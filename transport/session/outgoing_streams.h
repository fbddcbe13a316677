// The streams that this end sends on, and why a message is refused.
//
// An end sends on the streams that it has opened, and answers on those of the other end without
// opening them; the other end says how many may carry messages (Limits::max_streams). Pure. Thread:
// one at a time.
#pragma once

#include <unordered_set>

#include "base/result.h"
#include "transport/send/send_queue.h"
#include "transport/session/stream_numbers.h"

namespace paceline {

class OutgoingStreams {
 public:
  // `queue` outlives this. Stream 0 is open from the beginning.
  OutgoingStreams(Side side, SendQueue& queue);

  StreamId open(double weight);
  // False: it is not there. Of its messages the caller takes care.
  bool close(StreamId stream);
  // Into the queue; the error says why not. `peer`: what the other end takes.
  qvid::Result<MessageId> send(StreamId stream, Message message, const Limits& peer, Timestamp now);

 private:
  SendQueue& queue_;
  StreamNumbers numbers_;
  std::unordered_set<StreamId> sent_on_;  // and not closed: the peer counts these
};

}  // namespace paceline
