// Fragments of parts into parts, at the subscriber. Parts are given out as they become whole, in
// any order; those that never do are forgotten.
//
// Bound: kMaxIncomplete parts and kMaxBytes of them; beyond, the oldest item's goes. Pure. Thread:
// one at a time.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "pubsub/wire/envelope.h"

namespace qps {

struct Part {
  PartId id;
  Envelope envelope;
  Payload data;
};

class PartAssembler {
 public:
  static constexpr std::size_t kMaxIncomplete = 256;
  static constexpr ByteCount kMaxBytes = ByteCount(16 * 1024 * 1024);

  // A message of the stream. The part that it makes whole, if it does; an Error where it is
  // malformed, and then it is left.
  Result<std::optional<Part>> on_message(std::uint64_t position, const Payload& payload);
  // What came before is void: what follows is of another publication.
  void clear();
  ByteCount bytes() const { return bytes_; }

 private:
  struct Incomplete {
    std::optional<Envelope> envelope;
    std::vector<Payload> fragments;  // by number; empty: not there yet
    std::vector<bool> there;
    std::size_t count = 0;
    ByteCount bytes;
  };
  void forget(std::map<PartId, Incomplete>::iterator which);

  std::map<PartId, Incomplete> parts_;
  ByteCount bytes_;
};

}  // namespace qps
