#include "transport/session/incoming_content.h"

#include <utility>

namespace paceline {

qvid::Result<bool> IncomingContent::on_activate(const Activate& activate, bool receiving,
                                                Timestamp now) {
  const auto moved = receiver_.on_activate(activate, receiving);
  if (!moved) return moved.error();
  if (*moved != Receiver::Moved::kYes) return false;
  ack_due_ = true;  // what has come need not be written again
  if (activate.failover) {
    events_.push_back(FailedOver{.sending = false,
                                 .gap = now - last_numbered_,
                                 .counter = ++counters_.failovers,
                                 .reason = "the other end has failed over"});
  }
  return true;
}

bool IncomingContent::take_number(bool receiving, Timestamp now) {
  if (!receiving) return false;
  last_numbered_ = now;
  ack_due_ = true;
  return receiver_.on_numbered();
}

IncomingContent::Taken IncomingContent::on(const Ping&, bool receiving, Timestamp now) {
  take_number(receiving, now);
  return std::monostate{};
}

IncomingContent::Taken IncomingContent::on(const Cancel& cancel, bool receiving, Timestamp now) {
  if (take_number(receiving, now)) receiver_.reassembly().on_cancel(cancel);
  return std::monostate{};
}

IncomingContent::Taken IncomingContent::on(const StreamClose& close, bool receiving,
                                           Timestamp now) {
  if (take_number(receiving, now) && receiver_.reassembly().on_stream_close(close.stream)) {
    events_.push_back(StreamClosedByPeer{close.stream});
  }
  return std::monostate{};
}

IncomingContent::Taken IncomingContent::on(const Chunk& chunk, bool receiving, Timestamp now) {
  if (!take_number(receiving, now)) return std::monostate{};
  auto message = receiver_.reassembly().on_chunk(chunk);
  if (!message) return message.error();
  if (message->has_value()) {
    ++counters_.messages;
    events_.push_back(std::move(**message));
  }
  return std::monostate{};
}

IncomingContent::Taken IncomingContent::on(const LaneMessage& m, std::optional<Payload> payload) {
  const auto taken = receiver_.on_lane_message(m);
  if (!taken) return taken.error();
  if (*taken) {
    ++counters_.messages;
    ++counters_.lanes;
    if (!payload) payload = Payload::copy_of(m.bytes);
    events_.push_back(MessageArrived{m.stream, m.importance, m.position, *std::move(payload)});
  }
  return std::monostate{};
}

std::optional<Ack> IncomingContent::take_ack() {
  if (!std::exchange(ack_due_, false)) return std::nullopt;
  return Ack{receiver_.next_expected()};
}

}  // namespace paceline
