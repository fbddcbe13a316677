#include "transport/session/outgoing_streams.h"

#include <string>
#include <utility>

#include "base/byte_io.h"

namespace paceline {

OutgoingStreams::OutgoingStreams(Side side, SendQueue& queue) : queue_(queue), numbers_(side) {
  queue_.open_stream(kFirstStream, 1.0);
}

StreamId OutgoingStreams::open(double weight) {
  const StreamId stream = numbers_.take();
  queue_.open_stream(stream, weight);
  return stream;
}

bool OutgoingStreams::close(StreamId stream) {
  if (!queue_.has_stream(stream)) return false;
  sent_on_.erase(stream);
  return true;
}

qvid::Result<MessageId> OutgoingStreams::send(StreamId stream, Message message, const Limits& peer,
                                              Timestamp now) {
  const ByteCount size = message.payload.byte_count();
  const auto too_large = [&](const char* who, ByteCount takes) {
    return qvid::Error{"a message of " + std::to_string(size.value()) + " bytes; " + who +
                       " takes " + std::to_string(takes.value())};
  };
  if (size > peer.max_message) return too_large("the other end", peer.max_message);
  if (size > queue_.capacity()) return too_large("the send queue", queue_.capacity());
  if (message.position.value() > qvid::kVarintMax) {
    return qvid::Error{"a position beyond 2^62 - 1"};
  }
  if (message.deadline <= now) return qvid::Error{"the deadline has passed"};
  if (!(message.quality > 0 && message.quality < 1e12)) {
    return qvid::Error{"a message's quality is a positive number"};
  }
  // The other end may answer on a stream that this end opened, and the other way round.
  if (!queue_.has_stream(stream)) {
    if (numbers_.own(stream)) return qvid::Error{"the stream is not open"};
    queue_.open_stream(stream, 1.0, false);  // perhaps again
  }
  if (!sent_on_.contains(stream)) {
    if (sent_on_.size() >= peer.max_streams) {
      return qvid::Error{"the other end takes " + std::to_string(peer.max_streams) + " streams"};
    }
    sent_on_.insert(stream);
  }
  const auto id = queue_.push(stream, std::move(message));
  if (!id)
    return qvid::Error{"send queue full (" + std::to_string(queue_.capacity().value()) + " bytes)"};
  return *id;
}

}  // namespace paceline
