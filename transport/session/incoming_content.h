// What the peer sends, taken: numbered records once each (Receiver), put together to messages
// (Reassembly), as events for the application; and the acknowledgement that is owed for them.
//
// `receiving`: the channel that a record came on is the one that brings the peer's content now;
// what another still brings is left aside, since it is written again. An error is a breach of the
// rules by the peer, in words for the close. Pure. Thread: one at a time.
#pragma once

#include <optional>
#include <vector>

#include "transport/receive/receiver.h"

namespace paceline {

class IncomingContent {
 public:
  using Taken = qvid::Result<std::monostate>;

  // Events are appended to `events`, which outlives this.
  IncomingContent(const Limits& limits, Timestamp now, std::vector<SessionEvent>& events)
      : receiver_(limits), events_(events), last_numbered_(now) {}

  // True: from now on the channel that it came on brings the content.
  qvid::Result<bool> on_activate(const Activate& activate, bool receiving, Timestamp now);

  Taken on(const Ping& ping, bool receiving, Timestamp now);
  Taken on(const Cancel& cancel, bool receiving, Timestamp now);
  Taken on(const StreamClose& close, bool receiving, Timestamp now);
  Taken on(const Chunk& chunk, bool receiving, Timestamp now);
  // Not numbered as the others are, and from any channel. `payload`: its bytes, where they are one
  // already.
  Taken on(const LaneMessage& message, std::optional<Payload> payload = {});

  // As Reassembly has it.
  void hold_at_most(ByteCount bytes) { receiver_.reassembly().hold_at_most(bytes); }

  // The acknowledgement that is owed on the channel that brings the content.
  std::optional<Ack> take_ack();

  struct Counters {
    std::uint64_t messages = 0;
    std::uint64_t lanes = 0;      // of these, on lanes
    std::uint64_t failovers = 0;  // of the peer's
  };
  const Counters& counters() const { return counters_; }
  std::uint64_t duplicates() const { return receiver_.duplicates(); }

 private:
  // True: it has come for the first time, and is to be taken.
  bool take_number(bool receiving, Timestamp now);

  Receiver receiver_;
  std::vector<SessionEvent>& events_;
  bool ack_due_ = false;
  Timestamp last_numbered_;
  Counters counters_;
};

}  // namespace paceline
