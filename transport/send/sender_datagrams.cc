// What of one direction's content goes by datagrams, and when.
#include <algorithm>
#include <utility>

#include "transport/send/sender.h"

namespace paceline {

// A controller without a word on competitors keeps to sockets with all but what is urgent.
bool Sender::path_may_carry(Timestamp now) const {
  if (path_ == nullptr) return false;
  if (only_datagrams_) return path_->open();
  return path_->usable(now) && (controller_->steers_by_delay() || competes());
}

bool Sender::datagrams_take(const SendQueue::InAnyOrder& next, Timestamp now) const {
  return path_may_carry(now) && !lanes_.full() && next.size > 0 && next.size <= kMostInDatagrams;
}

// What has no deadline goes to sockets, whatever path there is.
void Sender::note_way(bool path, ByteCount content) {
  const double weight = std::min(static_cast<double>(content.value()) / kWayMemory, 1.0);
  path_part_ += weight * ((path ? 1.0 : 0.0) - path_part_);
}

bool Sender::waits_for_datagrams(Timestamp now) {
  if (path_ == nullptr) return false;
  const auto next = queue_.next_in_any_order();
  if (!next) return false;
  return datagrams_take(*next, now) ||
         (only_datagrams_ && next->size > 0 && next->size <= kMostInDatagrams);
}

void Sender::give_to_path(OutgoingChunk chunk, Timestamp now) {
  OutgoingDatagrams::Message message{.number = 0,
                                     .id = chunk.message,
                                     .stream = chunk.stream,
                                     .importance = chunk.importance,
                                     .position = chunk.position,
                                     .deadline = chunk.deadline,
                                     .bytes = chunk.bytes,
                                     .urgent = chunk.importance.value() >= SendQueue::kUrgent};
  message.number = lanes_.add_alone(std::move(chunk), kDatagrams, now);
  if (message.bytes.empty()) return lanes_.leave_datagrams(message.number);  // has no part to lose
  path_->outgoing().add(std::move(message));
  ++counters_.by_datagrams;
}

bool Sender::feed_datagrams(Timestamp now) {
  if (path_ == nullptr) return false;
  cancel_expired(now);
  OutgoingDatagrams& out = path_->outgoing();
  if (path_->usable(now)) {
    while (!lanes_.full()) {
      auto urgent = queue_.pop_for_lanes();
      if (!urgent) break;
      overhead_ += ByteCount::of(urgent->bytes.size());
      give_to_path(*std::move(urgent), now);
    }
  }
  constexpr ByteCount kWhole(DatagramPath::kLargest);
  const ByteCount least = controller_->least_chunk();
  const ByteCount at_once = least < kWholeChunk ? least : kWhole;
  const ByteCount allowance = this->allowance(now);
  path_->set_chunk(at_once);
  auto next = queue_.next_in_any_order();
  // What a socket has to write again is older: were datagrams first each time that the gate opens, it would
  // wait for as long as they have something.
  const bool yields = now < yields_until_ && acks_.waits_again();
  out.grant_copies(allowance > ByteCount() && !yields);
  if (allowance <= ByteCount() || yields) {
    note_closed_gate(out.has_fresh() || (next && datagrams_take(*next, now)), now);
    const bool urgent =
        out.has_fresh() && out.next_fresh().importance.value() >= SendQueue::kUrgent;
    // The rest of what has begun is not left to its deadline: then all of it were wasted.
    return (urgent || out.ends_within(kWhole)) && allowance + beyond_gate() > ByteCount();
  }
  // All that the next datagram has room for before something less important, and what is less important
  // where it has room for all of it: else what is left of a large message would fill each of them behind a
  // small one, and overtake what waits here.
  while (next && datagrams_take(*next, now) &&
         (!out.has_fresh() || out.overtakes(next->importance, at_once) ||
          path_->has_room(next->size))) {
    auto chunk = queue_.pop(next->size);
    if (!chunk) break;
    give_to_path(*std::move(chunk), now);
    next = queue_.next_in_any_order();
  }
  return out.has_fresh();
}

void Sender::on_datagram_written(const DatagramPath::Written& written, Timestamp now) {
  if (written.content == ByteCount()) return;
  const ByteCount bytes = competes() ? written.on_line : written.content;
  controller_->on_written(bytes, now);
  limiter_.on_written(written.content, now);
  counters_.sent += written.content;
  note_way(true, written.content);
  overhead_ += bytes - (written.content - written.again);
  if (queue_.room_again()) events_.push_back(SessionWritable{});
}

void Sender::on_datagram_news(const DatagramPath::News& news, Timestamp now) {
  if (news.opened || news.any_acked) on_heard(now);
  for (const std::uint64_t number : news.delivered) {
    lanes_.finish(number, Outcome::kDelivered,
                  [this](const OutgoingChunk& c, Outcome o) { end_on_lanes(c, o); });
  }
  path_->set_competing(!controller_->steers_by_delay());
  if (news.any_acked) {
    counters_.striped_acked += news.acked;
    on_acked(competes() ? news.acked_on_line : news.acked, news.rtt, now);
  }
  const ControllerSignals signals = controller_->signals();
  using enum DatagramPath::Protection;
  path_->protect(!signals.competing ? kWhereLost : signals.looks ? kUrgent : kAll);
  if (news.lost) on_datagram_lost(now);  // also where nothing new is acknowledged
}

void Sender::end_on_path(const OutgoingDatagrams::Message& message, std::size_t sent,
                         Outcome outcome) {
  lanes_.finish(message.number, outcome, [&](const OutgoingChunk& c, Outcome) {
    if (outcome == Outcome::kCancelled) {
      ++counters_.cancelled_messages;
      counters_.cancelled += c.message_size - ByteCount::of(sent);
    }
    events_.push_back(
        MessageEnded{c.stream, c.message, outcome, ByteCount::of(sent), c.message_size});
  });
}

void Sender::leave_datagrams(Timestamp now) {
  lanes_.leave_datagrams();
  path_->outgoing().clear();
  controller_->on_outstanding(under_way(), now);
  lanes_.on_trouble(now);
  cut_since_ = std::min(cut_since_, now);
}

}  // namespace paceline
