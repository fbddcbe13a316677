// Puts messages together from their chunks.
//
// Chunks of one message come in order; chunks of several messages interleave. Every length that the
// peer announces is checked against the limits before memory is taken for it. Bound: messages begun
// and incomplete hold at most max_reassembly bytes together (or one message), and they
// are at most kMaxBegun.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/payload.h"
#include "base/result.h"
#include "transport/message.h"
#include "transport/wire.h"

namespace paceline {

class Reassembly {
 public:
  explicit Reassembly(Limits limits) : limits_(limits) {}

  // A message, where the chunk completes one. An error is the peer's fault and ends the session.
  qvid::Result<std::optional<MessageArrived>> on_chunk(const Chunk& chunk);
  // The rest of the message will not come.
  void on_cancel(const Cancel& cancel);
  // Nothing more will come on the stream.
  void on_stream_close(StreamId stream);

  ByteCount partial_bytes() const { return partial_bytes_; }
  std::size_t partial_messages() const { return partial_.size(); }

 private:
  struct Key {
    StreamId stream;
    std::uint64_t number = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& k) const noexcept {
      return std::hash<std::uint64_t>{}(k.number * 0x9e3779b97f4a7c15u ^ k.stream.value());
    }
  };
  struct Partial {
    qvid::PayloadBuilder payload;
    Importance importance;
    Position position;
  };
  using Partials = std::unordered_map<Key, Partial, KeyHash>;

  qvid::Result<std::optional<MessageArrived>> begin(const Chunk& chunk);
  void drop(Partials::iterator it);

  Limits limits_;
  Partials partial_;
  ByteCount partial_bytes_;
  std::unordered_set<StreamId> streams_;  // the peer has sent on
};

}  // namespace paceline
