// Puts messages together from their chunks.
//
// Chunks of one message come in order; chunks of several messages interleave. Every length that the
// peer announces is checked against the limits before memory is taken for it. Bound: messages begun
// and incomplete hold at most max_reassembly bytes together (or one message), and they
// are at most kMaxBegun; of a stranger, fewer (hold_at_most).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/payload.h"
#include "base/result.h"
#include "transport/wire/message.h"
#include "transport/wire/record.h"

namespace paceline {

class Reassembly {
 public:
  explicit Reassembly(Limits limits) : limits_(limits), most_bytes_(limits.max_reassembly) {}

  // From now on, of messages that begin: what may be held together of those that are incomplete. At
  // most Limits::max_reassembly, which the peer was told; and of messages as many as that has KiB.
  void hold_at_most(ByteCount bytes);

  // A message, where the chunk completes one. An error is the peer's fault and ends the session.
  qvid::Result<std::optional<MessageArrived>> on_chunk(const Chunk& chunk);
  // The rest of the message will not come.
  void on_cancel(const Cancel& cancel);
  // A message of which no chunk will come, on that stream. False: the stream was closed not long
  // ago, so the message is late and not to be taken. An error is the peer's fault.
  qvid::Result<bool> on_whole_message(StreamId stream, std::size_t size);
  // Nothing more will come on the stream. False: nothing has ever come.
  bool on_stream_close(StreamId stream);

  ByteCount partial_bytes() const { return partial_bytes_; }
  std::size_t partial_messages() const { return partial_.size(); }

 private:
  struct Key {
    StreamId stream;
    std::uint64_t number = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Partial {
    qvid::PayloadBuilder payload;
    Importance importance;
    Position position;
  };
  // In order, so that a stream's are together, and no choice of numbers makes them slow to find.
  using Partials = std::map<Key, Partial>;

  qvid::Result<std::optional<MessageArrived>> begin(const Chunk& chunk);
  std::optional<qvid::Error> check(StreamId stream, std::uint64_t size);
  void drop(Partials::iterator it);
  Payload take_out(Partials::iterator it);

  Limits limits_;
  ByteCount most_bytes_;
  std::size_t most_begun_ = kMaxBegun;
  Partials partial_;
  std::vector<Partials::node_type> spare_;  // of ended messages, to be used again
  ByteCount partial_bytes_;
  std::unordered_set<StreamId> streams_;  // the peer has sent on
  std::vector<StreamId> closed_;          // of late, at most kMostClosed, used in turn
  std::size_t closed_next_ = 0;
};

}  // namespace paceline
