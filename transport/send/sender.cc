#include "transport/send/sender.h"

#include <algorithm>
#include <utility>

#include "transport/send/segment_filler.h"
#include "transport/wire/write_record.h"

namespace paceline {
namespace {

// A chunk is a fraction of what may be written now, so that an important message overtakes a large
// one; on a slow path that is what the controller says, on a fast one the cost per chunk counts.
constexpr std::size_t kMaxChunk = 32 * 1024;
static_assert(kMaxChunk + kMaxChunkFields <= kMaxRecordBody);
// What goes over a stripe is one record.
constexpr std::size_t kMaxStriped = kMaxChunk;
// So long after it should have been acknowledged, and without any other acknowledgement for half a
// round trip: a segment was lost. TCP has noticed, too, but its repair takes a round trip more.
constexpr Duration kTroubleAfter = std::chrono::milliseconds(50);
// Nothing was heard for so long, and so many round trips, since a way was given up: an outage, and
// not another way's turn.
constexpr Duration kOutage = std::chrono::milliseconds(500);
constexpr int kOutageRounds = 4;
// A socket that found the gate closed writes in the turn in which it opens; one that is no more never
// does.
constexpr Duration kYield = std::chrono::milliseconds(100);

}  // namespace

Sender::Sender(const SenderOptions& options, std::vector<SessionEvent>& events)
    : events_(events),
      controller_(*make_controller(options.controller)),
      queue_(options.send_capacity, options.reassembly_budget, options.fairness) {}

void Sender::close_stream(StreamId stream) {
  while (const auto removed = queue_.close_stream(stream)) cancel_removed(*removed);
  if (path_ != nullptr) path_->outgoing().close_stream(stream);
  lanes_.close_stream(stream, [this](const OutgoingChunk& c, Outcome o) { end_on_lanes(c, o); });
  control_.push_back({.type = RecordType::kStreamClose, .stream = stream});
}

bool Sender::cancel(MessageId message) {
  const auto removed = queue_.remove(message);
  if (removed) cancel_removed(*removed);
  if (removed || path_ == nullptr) return removed.has_value();
  return path_->outgoing().cancel(
      message, [this](const OutgoingDatagrams::Message& m, std::size_t sent, bool) {
        end_on_path(m, sent, Outcome::kCancelled);
      });
}

void Sender::cancel_expired(Timestamp now) {
  while (const auto removed = queue_.remove_expired(now)) cancel_removed(*removed);
  lanes_.expire(now, [this](const OutgoingChunk& c, Outcome o) { end_on_lanes(c, o); });
  if (path_ == nullptr) return;
  path_->outgoing().expire(
      now, path_->doubt(),
      [this](const OutgoingDatagrams::Message& m, std::size_t sent, bool lost) {
        end_on_path(m, sent, lost ? Outcome::kLost : Outcome::kCancelled);
      });
}

void Sender::cancel_removed(const SendQueue::Removed& removed) {
  if (removed.begun) {
    control_.push_back(
        {.type = RecordType::kCancel, .stream = removed.stream, .number = removed.number});
    acks_.forget(removed.message);
  }
  counters_.cancelled += removed.size - removed.sent;
  ++counters_.cancelled_messages;
  end_message(removed, Outcome::kCancelled);
}

void Sender::end_message(const SendQueue::Removed& removed, Outcome outcome) {
  events_.push_back(
      MessageEnded{removed.stream, removed.message, outcome, removed.sent, removed.size});
}

void Sender::abandon() {
  while (const auto written = acks_.abandon()) {
    const OutgoingChunk& chunk = written->chunk;
    if (written->type != RecordType::kChunk || !chunk.last) continue;
    events_.push_back(MessageEnded{chunk.stream, chunk.message, Outcome::kLost, chunk.message_size,
                                   chunk.message_size});
  }
  while (const auto removed = queue_.remove_any()) end_message(*removed, Outcome::kLost);
  if (path_ != nullptr) path_->outgoing().clear();
  lanes_.abandon([this](const OutgoingChunk& c, Outcome o) { end_on_lanes(c, o); });
}

void Sender::start_epoch(bool failover, Timestamp now) {
  ++epoch_;
  activate_due_ = true;
  activate_failover_ = failover;
  held_back_ = false;
  if (failover) {
    ++failovers_;
    lanes_.on_trouble(now);
    failover_.on_failover(now);
    cut_since_ = std::min(cut_since_, now);
  } else {
    failover_.on_progress(now, false);
  }
  acks_.restart();
  stripes_.on_new_active();
  // What goes by datagrams is not moved by that.
  if (path_carries(now)) {
    controller_->on_outstanding(under_way(), now);
  } else {
    controller_->on_new_socket(now);
  }
}

bool Sender::on_ack(std::uint64_t next_expected, bool current, Timestamp now) {
  watch_trouble(now);
  if (acks_.is_news(next_expected)) on_heard(now);  // before it is taken for a round trip
  const Timestamp oldest = acks_.oldest_in_flight();
  const auto acked =
      acks_.on_ack(next_expected, current, now, [this](const AckTracker::Written& w) {
        if (w.type != RecordType::kChunk || !w.chunk.last) return;
        ++counters_.delivered;
        events_.push_back(MessageEnded{w.chunk.stream, w.chunk.message, Outcome::kDelivered,
                                       w.chunk.message_size, w.chunk.message_size});
      });
  if (!acked) return false;
  if (!acked->any) return true;
  if (oldest != qvid::kNever) {
    longest_gap_ = std::max(longest_gap_, now - std::max(oldest, last_progress_));
  }
  last_progress_ = now;
  if (current) failover_.on_progress(now, acked->rtt > Duration());
  if (path_ != nullptr && acked->rtt > Duration()) path_->on_tcp_rtt(acked->rtt, now);
  on_acked(acked->bytes, acked->rtt, now);
  return true;
}

// Something was acknowledged, whichever way. After an outage nothing is known of a path but how long
// it is, and what it carried; what was measured across the outage is no queue.
void Sender::on_heard(Timestamp now) {
  const Timestamp since = std::exchange(cut_since_, qvid::kNever);
  if (since == qvid::kNever) return;
  const Duration rtt = acks_.rtt().valid() ? acks_.rtt().rtt() : Duration();
  if (now - since < std::max(Duration(kOutage), kOutageRounds * rtt)) return;
  acks_.on_outage_over();
  // The socket stands still for longer than a path that carries again: what was begun there, and
  // would keep the rest waiting, is cancelled, and what has expired there is lost.
  if (path_ != nullptr && path_->usable(now)) {
    while (const auto begun = queue_.remove_begun_in_any_order()) cancel_removed(*begun);
    acks_.expire_cut(now, [this](const OutgoingChunk& c) {
      events_.push_back(
          MessageEnded{c.stream, c.message, Outcome::kLost, c.message_size, c.message_size});
    });
  }
  lanes_.on_outage_over(now);
  controller_->on_outage_over(now);
  controller_->on_outstanding(under_way(), now);
  slowed_to_ = {};
  events_.push_back(PathRate{{}, PathRate::Reason::kRestored});
}

void Sender::on_acked(ByteCount acked, Duration rtt, Timestamp now) {
  controller_->on_acked({.acked = acked,
                         .unacked = under_way(),
                         .rtt = rtt,
                         .gate_limited = std::exchange(gate_limited_, false)},
                        now);
  tell_rate(now);
}

bool Sender::on_lane_ack(ChannelId channel, std::uint64_t number, Timestamp now) {
  on_heard(now);
  const auto acked =
      lanes_.on_ack(channel, number, now,
                    [this](const OutgoingChunk& c, Outcome outcome) { end_on_lanes(c, outcome); });
  if (!acked) return false;
  if (acked->alone > ByteCount()) {
    counters_.striped_acked += acked->alone;
    // Its round trip may be a repair's; the active channel's tell of the queue.
    on_acked(acked->alone, {}, now);
  }
  return true;
}

void Sender::on_socket(bool active, ChannelId channel, const SocketSample& sample, Timestamp now) {
  if (!active) return stripes_.on_socket(channel, sample);
  stripes_.on_active(sample);
  SocketSample all = sample;
  all.unacked -= std::min(all.unacked, acks_.cut());
  all.unsent -= std::min(all.unsent, acks_.cut());
  all.unacked += stripes_.under_way() + on_path();
  all.carries = !path_carries(now);
  controller_->on_socket(all, now);
}

// True: the next message went over a stripe.
bool Sender::write_to_stripe(Timestamp now) {
  const auto next = queue_.next_in_any_order();
  if (!next || next->size > kMaxStriped || lanes_.full()) return false;
  const ByteCount bytes = ByteCount::of(next->size);
  if (!stripes_.active_is_full(bytes) || controller_->elsewhere(now) <= ByteCount() ||
      limiter_.allowance(now) <= ByteCount()) {
    return false;
  }
  stripes_.on_needed(now);
  const auto stripe = stripes_.better_for(bytes);
  if (!stripe) return false;
  auto chunk = queue_.pop(std::max<std::size_t>(next->size, 1));
  lanes_.add_alone(std::move(*chunk), *stripe, now);
  stripes_.on_written(*stripe, bytes);
  ++counters_.striped;
  on_written(bytes, now);
  return true;
}

void Sender::end_on_lanes(const OutgoingChunk& c, Outcome outcome) {
  if (outcome == Outcome::kDelivered) ++counters_.delivered;
  if (outcome == Outcome::kCancelled) {
    ++counters_.cancelled_messages;
    counters_.cancelled += c.message_size;
  }
  const ByteCount sent = outcome == Outcome::kCancelled ? ByteCount() : c.message_size;
  events_.push_back(MessageEnded{c.stream, c.message, outcome, sent, c.message_size});
}

void Sender::watch_trouble(Timestamp now) {
  const Timestamp oldest = acks_.oldest_in_flight();
  const Duration rtt = acks_.rtt().rtt();
  const bool late = oldest != qvid::kNever && acks_.rtt().valid() &&
                    now - oldest > rtt * 5 / 4 + kTroubleAfter &&
                    now - std::max(oldest, last_progress_) > rtt / 2 + kTroubleAfter;
  if (late || controller_->signals().competing) lanes_.on_trouble(now);
}

std::size_t Sender::chunk_size(ByteCount allowance) const {
  const std::int64_t quarter = allowance.value() / 4;
  return static_cast<std::size_t>(
      std::clamp(quarter, controller_->least_chunk().value(), std::int64_t{kMaxChunk}));
}

void Sender::produce(WriteBatch& batch, Timestamp now, std::size_t at_most) {
  const std::size_t until = batch.size() + at_most;
  cancel_expired(now);
  limiter_.on_written(lanes_.spent() - std::exchange(lanes_limited_, lanes_.spent()), now);
  const bool renumbered = acks_.take_skipped();
  if (std::exchange(activate_due_, false) || renumbered) {
    const Activate activate{epoch_, acks_.next_number(), std::exchange(activate_failover_, false)};
    batch.add_header([&](auto& out) { write_record(activate, out); });
  }
  watch_trouble(now);
  if (lanes_.has_lane()) {
    lanes_.set_rate(qvid::DataRate::of(controller_->signals().window, acks_.rtt().rtt()));
  }
  while (lanes_.open(now) && (path_ == nullptr || !path_->usable(now))) {
    auto chunk = queue_.pop_for_lanes();
    if (!chunk) break;
    lanes_.on_message(now);
    lanes_.add(std::move(*chunk), now);
  }
  write_again(batch, now, until);
  if (!acks_.waits_again() && !held_back_) {
    const bool ping = std::exchange(ping_due_, false);
    if (ping) control_.push_back({.type = RecordType::kPing, .stream = {}});
    // Ends of messages go with content that waits for the kernel's window: each by itself would be a
    // segment of it.
    SegmentFiller filler(controller_->kernel_segment());
    if (ping || !filler.fills() || queue_.empty()) write_control(batch, now);
    lanes_.leave_stalled(now);
    while (batch.size() < until && !acks_.full()) {
      if (waits_for_datagrams(now)) break;
      if (write_to_stripe(now)) continue;
      const ByteCount allowance = this->allowance(now);
      if (allowance > ByteCount()) write_control(batch, now);
      std::optional<OutgoingChunk> chunk;
      if (const std::size_t size = filler.next(batch.size(), chunk_size(allowance), allowance)) {
        chunk = queue_.pop(size);
      } else {
        note_closed_gate(!queue_.empty(), now);
        if (allowance + beyond_gate() > ByteCount()) chunk = queue_.pop_urgent();
      }
      if (!chunk) break;
      write_control(batch, now);
      write_new(batch,
                {.first_at = now,
                 .at = now,
                 .bytes = {},
                 .type = RecordType::kChunk,
                 .chunk = std::move(*chunk)},
                now);
    }
  }
  if (queue_.room_again()) events_.push_back(SessionWritable{});
}

void Sender::write_control(WriteBatch& batch, Timestamp now) {
  for (const Control& c : control_) {
    AckTracker::Written record{
        .first_at = now, .at = now, .bytes = {}, .type = c.type, .chunk = {}};
    record.chunk.stream = c.stream;
    record.chunk.number = c.number;
    write_new(batch, std::move(record), now);
  }
  control_.clear();
}

void Sender::write_again(WriteBatch& batch, Timestamp now, std::size_t until) {
  while (acks_.waits_again() && batch.size() < until) {
    if (allowance(now) <= ByteCount()) {
      yields_until_ = now + kYield;
      return note_closed_gate(true, now);
    }
    const std::size_t before = batch.size();
    const AckTracker::Written& record = acks_.next_again();
    encode(batch, record.type, record.chunk);
    const ByteCount bytes = ByteCount::of(batch.size() - before);
    acks_.on_written_again(bytes, now);
    on_written(bytes, now);
  }
}

void Sender::write_new(WriteBatch& batch, AckTracker::Written record, Timestamp now) {
  const std::size_t before = batch.size();
  const bool urgent = SendQueue::may_use_lanes(record.chunk);
  if (urgent) lanes_.on_message(now);
  encode(batch, record.type, record.chunk);
  record.bytes = ByteCount::of(batch.size() - before);
  if (urgent) overhead_ += record.bytes;
  on_written(record.bytes, now);
  stripes_.on_written_to_active(record.bytes);
  acks_.on_written(std::move(record));
}

void Sender::encode(WriteBatch& batch, RecordType type, const OutgoingChunk& c) const {
  batch.add_header([&](auto& out) {
    switch (type) {
      case RecordType::kCancel: return write_record(Cancel{c.stream, c.number}, out);
      case RecordType::kStreamClose: return write_record(StreamClose{c.stream}, out);
      case RecordType::kChunk:
        return write_chunk_header(
            {.stream = c.stream,
             .number = c.number,
             .first = c.first,
             .last = c.last,
             .message_size = static_cast<std::uint64_t>(c.message_size.value()),
             .importance = c.importance,
             .position = c.position,
             .offset = c.offset,
             .bytes = c.bytes.bytes()},
            out);
      default: return write_record(Ping{}, out);
    }
  });
  if (type == RecordType::kChunk) batch.add_payload(c.bytes);
}

// Of whichever channel.
void Sender::on_written(ByteCount bytes, Timestamp now) {
  controller_->on_written(bytes, now);
  limiter_.on_written(bytes, now);
  counters_.sent += bytes;
  last_written_ = now;
  note_way(false, bytes);
}

}  // namespace paceline
