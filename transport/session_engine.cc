#include "transport/session_engine.h"

#include <algorithm>
#include <utility>

namespace paceline {
namespace {

// A chunk is a fraction of what may be written now, so that an important message overtakes a large
// one; on a slow path that is one segment's worth (the papers' 1400 B), on a fast one the cost per
// chunk counts.
constexpr std::size_t kMinChunk = 1400;
constexpr std::size_t kMaxChunk = 16 * 1024;
static_assert(kMaxChunk + kMaxChunkFields <= kMaxRecordBody);

// A peer that acknowledges nothing for this many silence time-outs, although it talks.
constexpr int kStalledAckFactor = 3;

}  // namespace

SessionEngine::SessionEngine(Side side, const SessionConfig& config, Timestamp now)
    : side_(side),
      config_(config),
      controller_(*make_controller(config.controller)),
      queue_(config.send_capacity, config.limits.max_reassembly),
      reassembly_(config.limits),
      next_stream_(side == Side::kClient ? 2 : 1),
      started_(now),
      last_heard_(now),
      last_content_(now) {
  queue_.open_stream(kFirstStream, 1.0);
  if (side == Side::kClient) {
    Greeting hello;
    hello.limits = config.limits;
    greeting_ = Hello{hello};
  }
}

StreamId SessionEngine::open_stream(double weight) {
  const StreamId stream(next_stream_);
  next_stream_ += 2;
  queue_.open_stream(stream, weight);
  return stream;
}

void SessionEngine::close_stream(StreamId stream) {
  if (closed() || !queue_.has_stream(stream)) return;
  while (const auto removed = queue_.close_stream(stream)) cancel_removed(*removed);
  sent_on_.erase(stream);
  control_.push_back(StreamClose{stream});
}

qvid::Result<MessageId> SessionEngine::send(StreamId stream, Message message, Timestamp now) {
  if (closed()) return qvid::Error{"the session is closed"};
  if (!established()) return qvid::Error{"the session is not established yet"};
  const ByteCount size = message.payload.byte_count();
  if (size > peer_limits_.max_message) {
    return qvid::Error{"a message of " + std::to_string(size.value()) +
                       " bytes; the other end takes " +
                       std::to_string(peer_limits_.max_message.value())};
  }
  if (size > queue_.capacity()) {
    return qvid::Error{"a message of " + std::to_string(size.value()) +
                       " bytes; the send queue takes " + std::to_string(queue_.capacity().value())};
  }
  if (message.deadline <= now) return qvid::Error{"the deadline has passed"};
  // The other end may answer on a stream that this end opened, and the other way round.
  const bool own = stream == kFirstStream || stream.value() % 2 == next_stream_ % 2;
  if (!queue_.has_stream(stream)) {
    if (own) return qvid::Error{"the stream is not open"};
    queue_.open_stream(stream, 1.0);
  }
  if (!sent_on_.contains(stream)) {
    if (sent_on_.size() >= peer_limits_.max_streams) {
      return qvid::Error{"the other end takes " + std::to_string(peer_limits_.max_streams) +
                         " streams"};
    }
    sent_on_.insert(stream);
  }
  const auto id = queue_.push(stream, std::move(message));
  if (!id) return qvid::Error{"the send queue is full"};
  return *id;
}

bool SessionEngine::cancel(MessageId message) {
  const auto removed = queue_.remove(message);
  if (removed) cancel_removed(*removed);
  return removed.has_value();
}

void SessionEngine::cancel_expired(Timestamp now) {
  while (const auto removed = queue_.remove_expired(now)) cancel_removed(*removed);
}

void SessionEngine::cancel_removed(const SendQueue::Removed& removed) {
  if (removed.begun) control_.push_back(Cancel{removed.stream, removed.number});
  cancelled_ += removed.size - removed.sent;
  ++cancelled_count_;
  end_message(removed, Outcome::kCancelled);
}

void SessionEngine::end_message(const SendQueue::Removed& removed, Outcome outcome) {
  events_.push_back(
      MessageEnded{removed.stream, removed.message, outcome, removed.sent, removed.size});
}

void SessionEngine::close(std::string detail, CloseReason reason) {
  if (closed()) return;
  // What the peer reads is its point of view: for it, this end is the peer.
  close_record_ = Close{reason == CloseReason::kLocal ? CloseReason::kPeer : reason, detail};
  end(reason, std::move(detail));
}

void SessionEngine::connection_lost(std::string detail) {
  if (!closed()) end(CloseReason::kConnectionLost, std::move(detail));
}

void SessionEngine::fail(CloseReason reason, std::string detail) {
  close(std::move(detail), reason);
}

void SessionEngine::end(CloseReason reason, std::string detail) {
  while (const auto written = acks_.abandon()) {
    if (!written->ends_message) continue;
    events_.push_back(MessageEnded{written->stream, written->message, Outcome::kLost,
                                   written->message_size, written->message_size});
  }
  while (const auto removed = queue_.remove_any()) end_message(*removed, Outcome::kLost);
  events_.push_back(SessionClosed{reason, std::move(detail)});
  state_ = State::kClosed;
}

void SessionEngine::receive(std::span<const std::byte> bytes, Timestamp now) {
  if (closed()) return;
  last_heard_ = now;
  received_ += ByteCount::of(bytes.size());
  parser_.feed(bytes);
  while (!closed()) {
    const RecordParser::Step step = parser_.next();
    if (std::holds_alternative<RecordParser::NeedMore>(step)) return;
    if (const auto* failure = std::get_if<RecordParser::Failure>(&step)) {
      return fail(failure->reason, failure->detail);
    }
    on_record(std::get<Record>(step), now);
  }
}

void SessionEngine::on_greeting(const Greeting& greeting, Timestamp now) {
  if (state_ != State::kGreeting) return fail(CloseReason::kProtocolError, "greeted twice");
  if (greeting.roles != kAllRoles) {
    return fail(CloseReason::kRefused, "sockets with fewer than all roles are not supported");
  }
  if (greeting.first_sequence != 0) {
    return fail(CloseReason::kRefused, "going on with an earlier session is not supported");
  }
  if (side_ == Side::kServer) {
    if (greeting.session != Greeting{}.session) {
      return fail(CloseReason::kRefused, "going on with an earlier session is not supported");
    }
    Greeting welcome;
    welcome.limits = config_.limits;
    greeting_ = Welcome{welcome};
  }
  next_expected_ = greeting.first_sequence;
  peer_limits_ = greeting.limits;
  queue_.set_reassembly_budget(peer_limits_.max_reassembly);
  state_ = State::kEstablished;
  // A ping at once: the first sample of the round trip.
  ping_due_ = true;
  last_content_ = now;
  events_.push_back(SessionEstablished{});
}

void SessionEngine::on_record(const Record& record, Timestamp now) {
  struct Visitor {
    SessionEngine& e;
    Timestamp now;

    // Numbered records are acknowledged whatever they hold.
    bool numbered() const {
      if (e.state_ != State::kEstablished) {
        e.fail(CloseReason::kProtocolError, "content before the greeting");
        return false;
      }
      ++e.next_expected_;
      e.ack_due_ = true;
      return true;
    }
    void operator()(const Hello& r) const {
      if (e.side_ != Side::kServer) return e.fail(CloseReason::kProtocolError, "a stray hello");
      e.on_greeting(r.greeting, now);
    }
    void operator()(const Welcome& r) const {
      if (e.side_ != Side::kClient) return e.fail(CloseReason::kProtocolError, "a stray welcome");
      e.on_greeting(r.greeting, now);
    }
    void operator()(const Close& r) const { e.end(r.reason, r.detail); }
    void operator()(const Ack& r) const {
      const ByteCount before = e.acks_.acked();
      const bool valid = e.acks_.on_ack(r.next_expected, now, [this](const AckTracker::Written& w) {
        if (!w.ends_message) return;
        ++e.delivered_count_;
        e.events_.push_back(
            MessageEnded{w.stream, w.message, Outcome::kDelivered, w.message_size, w.message_size});
      });
      if (!valid) return e.fail(CloseReason::kProtocolError, "an ack of what was never sent");
      e.controller_->on_acked(e.acks_.acked() - before, e.acks_.bytes(), now);
    }
    void operator()(const Ping&) const { numbered(); }
    void operator()(const Cancel& r) const {
      if (numbered()) e.reassembly_.on_cancel(r);
    }
    void operator()(const StreamClose& r) const {
      if (!numbered()) return;
      e.reassembly_.on_stream_close(r.stream);
      e.events_.push_back(StreamClosedByPeer{r.stream});
    }
    void operator()(const Chunk& r) const {
      if (!numbered()) return;
      auto message = e.reassembly_.on_chunk(r);
      if (!message) return e.fail(CloseReason::kProtocolError, message.error().message);
      if (!message->has_value()) return;
      ++e.received_count_;
      e.events_.push_back(std::move(**message));
    }
  };
  std::visit(Visitor{*this, now}, record);
}

std::size_t SessionEngine::chunk_size(ByteCount allowance) const {
  const std::int64_t quarter = allowance.value() / 4;
  return static_cast<std::size_t>(
      std::clamp(quarter, std::int64_t{kMinChunk}, std::int64_t{kMaxChunk}));
}

void SessionEngine::produce(WriteBatch& batch, Timestamp now, std::size_t at_most) {
  const std::size_t before = batch.size();
  if (state_ == State::kEstablished) cancel_expired(now);
  write_control(batch, now);
  if (state_ != State::kEstablished) return;
  while (batch.size() - before < at_most && !acks_.full()) {
    const ByteCount allowance = controller_->allowance(now);
    if (allowance <= ByteCount()) break;
    auto chunk = queue_.pop(chunk_size(allowance));
    if (!chunk) break;
    write_chunk(batch, std::move(*chunk), now);
  }
  if (queue_.room_again()) events_.push_back(SessionWritable{});
}

void SessionEngine::write_control(WriteBatch& batch, Timestamp now) {
  if (greeting_) {
    batch.add_header([this](auto& out) {
      write_preamble(out);
      write_record(*greeting_, out);
    });
    greeting_.reset();
    greeting_written_ = true;
  }
  if (close_record_) {
    batch.add_header([this](auto& out) {
      if (!greeting_written_) write_preamble(out);
      write_record(*close_record_, out);
    });
    close_record_.reset();
  }
  if (state_ != State::kEstablished) return;
  if (ack_due_) {
    batch.add_header([this](auto& out) { write_record(Ack{next_expected_}, out); });
    ack_due_ = false;
  }
  for (const Record& record : control_) write_numbered(batch, record, now);
  control_.clear();
  if (ping_due_) write_numbered(batch, Ping{}, now);
  ping_due_ = false;
}

void SessionEngine::write_numbered(WriteBatch& batch, const Record& record, Timestamp now) {
  const std::size_t before = batch.size();
  batch.add_header([&](auto& out) { write_record(record, out); });
  const ByteCount bytes = ByteCount::of(batch.size() - before);
  acks_.on_written({.at = now, .bytes = bytes, .stream = {}, .message = {}, .message_size = {}});
  controller_->on_written(bytes, now);
  sent_ += bytes;
  last_content_ = now;
}

void SessionEngine::write_chunk(WriteBatch& batch, OutgoingChunk chunk, Timestamp now) {
  const std::size_t before = batch.size();
  const Chunk record{.stream = chunk.stream,
                     .number = chunk.number,
                     .first = chunk.first,
                     .last = chunk.last,
                     .message_size = static_cast<std::uint64_t>(chunk.message_size.value()),
                     .importance = chunk.importance,
                     .position = chunk.position,
                     .offset = chunk.offset,
                     .bytes = chunk.bytes.bytes()};
  batch.add_header([&](auto& out) { write_chunk_header(record, out); });
  batch.add_payload(std::move(chunk.bytes));
  const ByteCount bytes = ByteCount::of(batch.size() - before);
  acks_.on_written({.at = now,
                    .bytes = bytes,
                    .ends_message = chunk.last,
                    .stream = chunk.stream,
                    .message = chunk.message,
                    .message_size = chunk.message_size});
  controller_->on_written(bytes, now);
  sent_ += bytes;
  last_content_ = now;
}

bool SessionEngine::gated(Timestamp now) const {
  return state_ == State::kEstablished && !queue_.empty() &&
         controller_->allowance(now) <= ByteCount();
}

Timestamp SessionEngine::next_timer() const {
  switch (state_) {
    case State::kGreeting: return started_ + config_.greeting_timeout;
    case State::kClosed: return qvid::kNever;
    case State::kEstablished: break;
  }
  Timestamp next = std::min({last_heard_ + config_.silence_timeout,
                             last_content_ + config_.ping_interval, queue_.next_deadline()});
  if (!acks_.empty()) {
    next = std::min(next, acks_.oldest() + kStalledAckFactor * config_.silence_timeout);
  }
  return next;
}

void SessionEngine::on_timer(Timestamp now) {
  if (state_ == State::kGreeting && now >= started_ + config_.greeting_timeout) {
    return fail(CloseReason::kTimeout, "no greeting in time");
  }
  if (state_ != State::kEstablished) return;
  if (now >= last_heard_ + config_.silence_timeout) {
    return fail(CloseReason::kTimeout, "the other end is silent");
  }
  if (!acks_.empty() && now >= acks_.oldest() + kStalledAckFactor * config_.silence_timeout) {
    return fail(CloseReason::kTimeout, "the other end acknowledges nothing");
  }
  cancel_expired(now);
  if (now >= last_content_ + config_.ping_interval) {
    ping_due_ = true;
    last_content_ = now;
  }
}

void SessionEngine::take_events(std::vector<SessionEvent>& into) {
  into.clear();
  into.swap(events_);
}

SessionSignals SessionEngine::signals(Timestamp now) const {
  return {.rtt = acks_.rtt().rtt(),
          .rtt_low = acks_.rtt().low(),
          .unacked = acks_.bytes(),
          .oldest_unacked = acks_.empty() ? Duration() : now - acks_.oldest(),
          .queued = queue_.bytes(),
          .queued_messages = queue_.messages(),
          .allowance = controller_->allowance(now),
          .sent = sent_,
          .acked = acks_.acked(),
          .cancelled = cancelled_,
          .received = received_,
          .messages_delivered = delivered_count_,
          .messages_cancelled = cancelled_count_,
          .messages_received = received_count_};
}

}  // namespace paceline
