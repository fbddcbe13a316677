#include "transport/session/session_engine.h"

#include <algorithm>
#include <utility>

#include "base/byte_io.h"

namespace paceline {
namespace {

using std::chrono::milliseconds;

// A peer that acknowledges nothing for this many silence time-outs, although it talks.
constexpr int kStalledAckFactor = 3;
// Dials without any channel left: one a second, three at once, since each may wait in vain.
constexpr std::size_t kResumeDials = 3;
constexpr Duration kResumeDialEvery = std::chrono::seconds(1);
constexpr Duration kFirstRedial = milliseconds(100);  // after a failure, doubling up to
constexpr Duration kSlowestRedial = std::chrono::seconds(2);
// While there are express lanes: so that a failover takes none of them.
constexpr std::size_t kLaneStandbys = Express::kLanes;
constexpr int kBadLane = 2;
constexpr Duration kSocketPoll = milliseconds(5);

SenderOptions sender_options(const SessionConfig& config) {
  return {.send_capacity = config.send_capacity,
          .reassembly_budget = config.limits.max_reassembly,
          .fairness = config.fairness,
          .controller = config.controller};
}

}  // namespace

SessionEngine::SessionEngine(Side side, const SessionConfig& config, Timestamp now)
    : side_(side),
      config_(config),
      sender_(sender_options(config), events_),
      receiver_(config.limits),
      streams_(side),
      last_content_(now),
      last_turn_(now) {
  sender_.queue().open_stream(kFirstStream, 1.0);
}

SessionEngine::SessionEngine(const SessionConfig& config, Timestamp now)
    : SessionEngine(Side::kClient, config, now) {}

SessionEngine::SessionEngine(const SessionConfig& config, const SessionCredentials& credentials,
                             const Hello& hello, Timestamp now)
    : SessionEngine(Side::kServer, config, now) {
  credentials_ = credentials;
  peer_takes_express_ = hello.express;
  const Welcome welcome{.session = credentials.session,
                        .secret = credentials.secret,
                        .limits = config.limits,
                        .resume_limit = config.resume_limit,
                        .express = true};
  add_channel(kFirstChannel, 0, welcome, true, now);
  establish(hello.limits, hello.resume_limit, now);
}

// --- the application ---

StreamId SessionEngine::open_stream(double weight) {
  const StreamId stream = streams_.take();
  sender_.queue().open_stream(stream, weight);
  return stream;
}

void SessionEngine::close_stream(StreamId stream) {
  if (closed() || !sender_.queue().has_stream(stream)) return;
  sender_.close_stream(stream);
  sent_on_.erase(stream);
}

qvid::Result<MessageId> SessionEngine::send(StreamId stream, Message message, Timestamp now) {
  if (closed()) return qvid::Error{"the session is closed"};
  if (!established()) return qvid::Error{"the session is not established yet"};
  SendQueue& queue = sender_.queue();
  const ByteCount size = message.payload.byte_count();
  const auto too_large = [&](const char* who, ByteCount takes) {
    return qvid::Error{"a message of " + std::to_string(size.value()) + " bytes; " + who +
                       " takes " + std::to_string(takes.value())};
  };
  if (size > peer_limits_.max_message) return too_large("the other end", peer_limits_.max_message);
  if (size > queue.capacity()) return too_large("the send queue", queue.capacity());
  if (message.position.value() > qvid::kVarintMax) {
    return qvid::Error{"a position beyond 2^62 - 1"};
  }
  if (message.deadline <= now) return qvid::Error{"the deadline has passed"};
  if (!(message.quality > 0 && message.quality < 1e12)) {
    return qvid::Error{"a message's quality is a positive number"};
  }
  // The other end may answer on a stream that this end opened, and the other way round.
  if (!queue.has_stream(stream)) {
    if (streams_.own(stream)) return qvid::Error{"the stream is not open"};
    queue.open_stream(stream, 1.0, false);  // perhaps again
  }
  if (!sent_on_.contains(stream)) {
    if (sent_on_.size() >= peer_limits_.max_streams) {
      return qvid::Error{"the other end takes " + std::to_string(peer_limits_.max_streams) +
                         " streams"};
    }
    sent_on_.insert(stream);
  }
  const auto id = queue.push(stream, std::move(message));
  if (!id) return qvid::Error{"the send queue is full"};
  return *id;
}

bool SessionEngine::cancel(MessageId message) { return sender_.cancel(message); }

void SessionEngine::close(std::string detail, CloseReason reason) {
  if (closed()) return;
  // What the peer reads is its point of view: for it, this end is the peer.
  close_ = Close{reason == CloseReason::kLocal ? CloseReason::kPeer : reason, detail};
  for (Channel& c : channels_) c.close_due = c.open || side_ == Side::kClient;
  end(reason, std::move(detail));
}

void SessionEngine::fail(CloseReason reason, std::string detail) {
  close(std::move(detail), reason);
}

void SessionEngine::end(CloseReason reason, std::string detail) {
  sender_.abandon();
  events_.push_back(SessionClosed{reason, std::move(detail)});
  state_ = State::kClosed;
}

// --- channels come and go ---

Channel* SessionEngine::find(ChannelId channel) {
  const auto it = std::ranges::find(channels_, channel, &Channel::id);
  return it == channels_.end() ? nullptr : &*it;
}

const Channel* SessionEngine::find(ChannelId channel) const {
  const auto it = std::ranges::find(channels_, channel, &Channel::id);
  return it == channels_.end() ? nullptr : &*it;
}

Channel& SessionEngine::add_channel(ChannelId id, std::uint32_t segment, Record greeting, bool open,
                                    Timestamp now) {
  Channel channel;
  channel.id = id;
  if (side_ == Side::kServer) channel.parser = RecordParser::behind_preamble();  // see Greeter
  channel.segment = segment;
  channel.greeting = std::move(greeting);
  channel.open = open;
  channel.since = channel.last_heard = channel.last_probe = now;
  channels_.push_back(std::move(channel));
  return channels_.back();
}

void SessionEngine::remove_channel(ChannelId channel, bool abort) {
  std::erase_if(channels_, [&](const Channel& c) { return c.id == channel; });
  ended_.push_back({channel, abort});
  if (active_ == channel) active_.reset();
  if (receive_active_ == channel) receive_active_.reset();
  sender_.express().on_closed(channel);
}

ChannelId SessionEngine::connected(std::uint32_t segment, Timestamp now) {
  const ChannelId id(next_channel_++);
  if (closed()) {
    ended_.push_back({id, true});
    return id;
  }
  if (id == kFirstChannel) {
    add_channel(id, segment, Hello{config_.limits, config_.resume_limit, true}, false, now);
    return id;
  }
  --dialing_;
  if (segment != 0) --dialing_small_;
  Bind bind{
      .session = credentials_.session, .channel = id.value(), .segment = segment, .proof = {}};
  bind.proof = bind_proof(credentials_.secret, bind);
  add_channel(id, segment, bind, false, now);
  return id;
}

qvid::Result<ChannelId> SessionEngine::accept_bind(const Bind& bind, Timestamp now) {
  if (closed()) return qvid::Error{"the session is closed"};
  if (!proves(bind, credentials_.secret)) return qvid::Error{"a bind without proof"};
  if (channels_.size() >= kMaxChannels) return qvid::Error{"the session has enough sockets"};
  if (!used_.use(bind.channel)) return qvid::Error{"a bind that was used before"};
  on_open(add_channel(ChannelId(bind.channel), bind.segment, Bound{}, true, now), now);
  return ChannelId(bind.channel);
}

void SessionEngine::on_open(Channel& channel, Timestamp now) {
  channel.open = true;
  failed_dials_ = 0;
  if (interrupted_) {
    ++resumptions_;
    events_.push_back(SessionResumed{now - *std::exchange(interrupted_, std::nullopt)});
    sender_.touch(now);
  }
  std::vector<ChannelId> abandoned;
  for (const Channel& c : channels_) {
    if (c.abandoned && active_ != c.id && receive_active_ != c.id) abandoned.push_back(c.id);
  }
  for (const ChannelId id : abandoned) remove_channel(id, true);
  if (!active_) fail_over("its socket was lost", now);
}

void SessionEngine::lost(ChannelId channel, const std::string& detail, Timestamp now) {
  const Channel* c = find(channel);
  if (c == nullptr || closed()) return;
  const bool was_open = c->open;
  const bool was_active = active_ == channel;
  last_trouble_ = detail;
  remove_channel(channel, true);
  if (state_ == State::kGreeting) return end(CloseReason::kConnectionLost, detail);
  if (!was_open) return back_off(detail, now);
  if (was_active) fail_over(detail, now);
  if (std::ranges::any_of(channels_, &Channel::open) || interrupted_) return;
  if (resume_limit_ <= Duration()) return end(CloseReason::kConnectionLost, detail);
  interrupted_ = now;
  next_dial_ = now;
  events_.push_back(SessionInterrupted{detail});
}

void SessionEngine::take_ended(std::vector<Ended>& into) {
  into.clear();
  into.swap(ended_);
}

std::size_t SessionEngine::channels_with(bool small) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      channels_, [&](const Channel& c) { return c.small() == small && !c.abandoned; }));
}

// With segments of the path's size.
std::size_t SessionEngine::wanted_channels() const {
  if (interrupted_) return kResumeDials;
  const std::size_t lanes = lanes_wanted_ && config_.standby > 0 ? kLaneStandbys : 0;
  return std::min<std::size_t>((config_.separate_directions ? 2 : 1) + config_.standby + lanes, 10);
}

bool SessionEngine::wants_dial(bool small) const {
  if (side_ == Side::kServer || state_ != State::kEstablished) return false;
  if (small) return small_wanted() && channels_with(true) + dialing_small_ == 0;
  return channels_with(false) + dialing_ - dialing_small_ < wanted_channels();
}

std::optional<std::uint32_t> SessionEngine::dial(Timestamp now) {
  if (now < next_dial_) return std::nullopt;
  const bool full = wants_dial(false);
  if (!full && !wants_dial(true)) return std::nullopt;
  ++dialing_;
  if (!full) ++dialing_small_;
  if (interrupted_) next_dial_ = now + kResumeDialEvery;
  return full ? 0 : kSmallSegment;
}

void SessionEngine::dial_failed(std::uint32_t segment, const std::string& detail, bool permanent,
                                Timestamp now) {
  if (closed()) return;
  if (state_ == State::kGreeting) {
    return end(permanent ? CloseReason::kUntrusted : CloseReason::kConnectionLost, detail);
  }
  --dialing_;
  if (segment != 0) --dialing_small_;
  if (permanent && interrupted_) return end(CloseReason::kUntrusted, detail);
  back_off(detail, now);
}

void SessionEngine::back_off(const std::string& detail, Timestamp now) {
  last_trouble_ = detail;
  const Duration wait = std::min(kFirstRedial * (1 << std::min(failed_dials_, 8)), kSlowestRedial);
  ++failed_dials_;
  next_dial_ = std::max(next_dial_, now + wait);
}

// --- which channel ---

const Channel* SessionEngine::standby(std::optional<ChannelId> besides) const {
  const auto better = [this](const Channel& a, const Channel& b) {
    if (a.abandoned != b.abandoned) return b.abandoned;
    if (a.small() != b.small()) return a.small() == small_;
    const bool a_shared = receive_active_ == a.id;
    const bool b_shared = receive_active_ == b.id;
    if (a_shared != b_shared) return b_shared;
    const bool a_lane = sender_.express().is_lane(a.id);
    const bool b_lane = sender_.express().is_lane(b.id);
    if (a_lane != b_lane) return b_lane;
    return a.last_heard > b.last_heard;
  };
  const Channel* best = nullptr;
  for (const Channel& c : channels_) {
    if (!c.open || c.id == besides) continue;
    if (best == nullptr || better(c, *best)) best = &c;
  }
  return best;
}

void SessionEngine::fail_over(const std::string& reason, Timestamp now) {
  const Channel* next = standby(active_);
  if (!stall_) {
    const Timestamp oldest = sender_.acks().oldest_in_flight();
    stall_ =
        Stall{oldest == qvid::kNever ? now : std::max(oldest, sender_.last_progress()), reason};
  }
  if (next == nullptr) return;
  const std::optional<ChannelId> failed = std::exchange(active_, next->id);
  find(*active_)->abandoned = false;
  if (failed && hardly_any_left()) {
    find(*failed)->abandoned = true;
  } else if (failed) {
    remove_channel(*failed, true);
  }
  segments_due_ = side_ == Side::kServer;  // the wish may have gone down with it
  sender_.start_epoch(true, now);
  sender_.ping();
}

// When the whole path stops for a moment, both ends fail over at once, and each would close the
// socket that the other has just chosen. So the last two are kept until another is open.
bool SessionEngine::hardly_any_left() const {
  return std::ranges::count_if(channels_, &Channel::open) <= 2;
}

// The lower, the better for express messages. One that stalls, or carries the content, becomes a
// lane only where there is no other at all.
int SessionEngine::lane_rank(const Channel& c, Timestamp now) const {
  const int shared = active_ == c.id ? kBadLane : receive_active_ == c.id ? 1 : 0;
  return shared + (sender_.express().stalls(c.id, now) ? kBadLane : 0);
}

// Null: no channel is left that is no lane.
const Channel* SessionEngine::best_lane(Timestamp now) const {
  const Channel* best = nullptr;
  for (const Channel& c : channels_) {
    if (!c.open || c.abandoned || sender_.express().is_lane(c.id)) continue;
    const int rank = lane_rank(c, now);
    const int least = best == nullptr ? rank + 1 : lane_rank(*best, now);
    if (rank < least || (rank == least && c.last_heard > best->last_heard)) best = &c;
  }
  return best;
}

// Lanes remain until all that was given to them has ended.
void SessionEngine::choose_lanes(Timestamp now) {
  Express& express = sender_.express();
  const bool wanted = peer_takes_express_ && express.wanted(now);
  lanes_wanted_ = wanted || now < peer_uses_lanes_until_;
  if (!wanted && express.empty()) return express.end_lanes();
  for (std::size_t i = 0; i < Express::kLanes; ++i) {
    const Channel* next = best_lane(now);
    if (next == nullptr) return;
    const int rank = lane_rank(*next, now);
    if (rank >= kBadLane && express.has_lane()) return;
    const Channel* current = express.lane(i) ? find(*express.lane(i)) : nullptr;
    if (current == nullptr || rank < lane_rank(*current, now)) express.move(i, next->id);
  }
}

const Channel* SessionEngine::better_channel() const {
  const Channel* current = active_ ? find(*active_) : nullptr;
  if (current == nullptr) return nullptr;
  const Channel* other = standby(active_);
  if (other == nullptr || other->abandoned) return nullptr;
  if (other->small() != current->small()) return other->small() == small_ ? other : nullptr;
  // Where both directions have met on one channel, the server's moves.
  const bool shared = side_ == Side::kServer && receive_active_ == active_;
  return shared && receive_active_ != other->id ? other : nullptr;
}

// A planned move waits until nothing is outstanding: about a round trip.
void SessionEngine::move_if_better(Timestamp now) {
  if (stall_) return;
  const Channel* better = better_channel();
  sender_.hold_back(better != nullptr);
  if (better == nullptr || !sender_.acks().empty()) return;
  active_ = better->id;
  sender_.start_epoch(false, now);
  sender_.ping();
}

void SessionEngine::wish_segments(Timestamp now) {
  segments_.on_gap(sender_.take_longest_gap(), now);
  const bool small =
      config_.small_segments && segments_.update(sender_.controller().signals().window, now);
  if (small == small_) return;
  small_ = small;
  segments_due_ = side_ == Side::kServer;
}

// --- a channel's socket ---

void SessionEngine::receive(ChannelId id, std::span<const std::byte> bytes, Timestamp now) {
  Channel* channel = find(id);
  if (closed() || channel == nullptr) return;
  wake(now);
  channel->last_heard = now;
  channel->abandoned = false;
  received_ += ByteCount::of(bytes.size());
  channel->parser.feed(bytes);
  while (!closed()) {
    channel = find(id);  // a record may have ended it
    if (channel == nullptr) return;
    const RecordParser::Step step = channel->parser.next();
    if (std::holds_alternative<RecordParser::NeedMore>(step)) break;
    if (const auto* failure = std::get_if<RecordParser::Failure>(&step)) {
      if (channel->open || state_ == State::kGreeting)
        return fail(failure->reason, failure->detail);
      // A further socket has reached something else: the session itself is well.
      const std::string detail = failure->detail;
      remove_channel(id, true);
      return back_off(detail, now);
    }
    on_record(*channel, std::get<Record>(step), now);
  }
  if (established()) move_if_better(now);
}

void SessionEngine::establish(const Limits& peer_limits, Duration peer_resume_limit,
                              Timestamp now) {
  peer_limits_ = peer_limits;
  resume_limit_ = std::min(config_.resume_limit, peer_resume_limit);
  sender_.queue().set_reassembly_budget(peer_limits.max_reassembly);
  state_ = State::kEstablished;
  Channel& first = channels_.front();
  first.open = true;
  active_ = first.id;
  sender_.touch(now);
  sender_.start_epoch(false, now);
  sender_.ping();  // at once: the first sample of the round trip
  events_.push_back(SessionEstablished{});
}

bool SessionEngine::numbered(const Channel& channel, Timestamp now) {
  if (!channel.has_content) {
    fail(CloseReason::kProtocolError, "content on a channel that is not active");
    return false;
  }
  if (receive_active_ != channel.id) return false;  // has failed over
  last_content_ = now;
  ack_due_ = true;
  return receiver_.on_numbered();
}

void SessionEngine::on_ack(const Channel& channel, const Ack& ack, Timestamp now) {
  const bool current = active_ == channel.id;
  if (!sender_.on_ack(ack.next_expected, current, now)) {
    return fail(CloseReason::kProtocolError, "an ack of what was never sent");
  }
  if (stall_ && current && sender_.last_progress() == now) {
    events_.push_back(FailedOver{.sending = true,
                                 .gap = now - stall_->since,
                                 .counter = sender_.failovers(),
                                 .reason = stall_->reason});
    stall_.reset();
  }
}

void SessionEngine::on_activate(Channel& channel, const Activate& activate, Timestamp now) {
  const bool on_active = receive_active_ == channel.id;
  const auto moved = receiver_.on_activate(activate, on_active);
  if (!moved) return fail(CloseReason::kProtocolError, moved.error().message);
  channel.has_content = true;
  if (*moved != Receiver::Moved::kYes) return;
  const std::optional<ChannelId> before = std::exchange(receive_active_, channel.id);
  ack_due_ = true;  // what has come need not be written again
  if (!activate.failover) return;
  ++peer_failovers_;
  events_.push_back(FailedOver{.sending = false,
                               .gap = now - last_content_,
                               .counter = peer_failovers_,
                               .reason = "the other end has failed over"});
  // It has closed that socket; whether the news of it ever gets here, nobody knows.
  if (!before || before == receive_active_) return;
  if (before == active_ && hardly_any_left()) return;
  lost(*before, "the other end gave it up", now);
}

// The answer to a greeting is a refusal.
void SessionEngine::on_greeting_refused(Channel& channel, const Close& close, Timestamp now) {
  if (state_ == State::kGreeting) return end(close.reason, close.detail);
  const bool alone = std::ranges::none_of(channels_, &Channel::open);
  if (close.reason == CloseReason::kUnknownSession && alone) return end(close.reason, close.detail);
  remove_channel(channel.id, false);
  back_off(close.detail, now);
}

void SessionEngine::on_record(Channel& channel, const Record& record, Timestamp now) {
  struct Visitor {
    SessionEngine& e;
    Channel& channel;
    Timestamp now;

    void stray(const char* what) const {
      e.fail(CloseReason::kProtocolError, std::string("a stray ") + what);
    }
    void operator()(const Hello&) const { stray("hello"); }
    void operator()(const Bind&) const { stray("bind"); }
    void operator()(const Welcome& r) const {
      if (e.state_ != State::kGreeting) return stray("welcome");
      e.credentials_ = {r.session, r.secret};
      e.peer_takes_express_ = r.express;
      e.establish(r.limits, r.resume_limit, now);
    }
    void operator()(const Bound&) const {
      if (channel.open || e.state_ != State::kEstablished) return stray("bound");
      e.on_open(channel, now);
    }
    void operator()(const Close& r) const {
      if (!channel.open) return e.on_greeting_refused(channel, r, now);
      for (const Channel& c : e.channels_) e.ended_.push_back({c.id, false});
      e.end(r.reason, r.detail);
    }
    // All others: only on an open channel.
    bool open() const {
      if (!channel.open) e.fail(CloseReason::kProtocolError, "content before the greeting");
      return channel.open;
    }
    void operator()(const Activate& r) const {
      if (open()) e.on_activate(channel, r, now);
    }
    void operator()(const Probe& r) const {
      if (open()) channel.reply_due = r.id;
    }
    void operator()(const ProbeReply&) const { open(); }
    void operator()(const Segments& r) const {
      if (!open()) return;
      if (e.side_ != Side::kClient) return stray("wish for segments");
      e.peer_small_ = r.segment != 0 && e.config_.small_segments;
    }
    void operator()(const Ack& r) const {
      if (open()) e.on_ack(channel, r, now);
    }
    void operator()(const Ping&) const {
      if (open()) e.numbered(channel, now);
    }
    void operator()(const Cancel& r) const {
      if (open() && e.numbered(channel, now)) e.receiver_.reassembly().on_cancel(r);
    }
    void operator()(const StreamClose& r) const {
      if (!open() || !e.numbered(channel, now)) return;
      if (!e.receiver_.reassembly().on_stream_close(r.stream)) return;
      e.events_.push_back(StreamClosedByPeer{r.stream});
    }
    void operator()(const ExpressMessage& r) const {
      if (!open()) return;
      channel.express_ack_due = r.number;
      e.peer_uses_lanes_until_ = now + Express::kFor;
      const auto taken = e.receiver_.on_express(r);
      if (!taken) return e.fail(CloseReason::kProtocolError, taken.error().message);
      if (!*taken) return;
      ++e.received_count_;
      ++e.express_taken_;
      e.events_.push_back(
          MessageArrived{r.stream, r.importance, r.position, Payload::copy_of(r.bytes)});
    }
    void operator()(const ExpressAck& r) const {
      if (!open() || e.sender_.on_express_ack(channel.id, r.number, now)) return;
      e.fail(CloseReason::kProtocolError, "an ack of what was never sent");
    }
    void operator()(const Chunk& r) const {
      if (!open() || !e.numbered(channel, now)) return;
      auto message = e.receiver_.reassembly().on_chunk(r);
      if (!message) return e.fail(CloseReason::kProtocolError, message.error().message);
      if (!message->has_value()) return;
      ++e.received_count_;
      e.events_.push_back(std::move(**message));
    }
  };
  std::visit(Visitor{*this, channel, now}, record);
}

void SessionEngine::produce(ChannelId id, WriteBatch& batch, Timestamp now, std::size_t at_most) {
  Channel* channel = find(id);
  if (channel == nullptr) return;
  const auto write = [&](const Record& record) {
    batch.add_header([&](auto& out) { write_record(record, out); });
  };
  if (channel->greeting) {
    batch.add_header([](auto& out) { write_preamble(out); });
    write(*std::exchange(channel->greeting, std::nullopt));
  }
  if (std::exchange(channel->close_due, false)) write(*close_);
  if (!channel->open || closed()) return;
  if (channel->reply_due) write(ProbeReply{*std::exchange(channel->reply_due, std::nullopt)});
  if (std::exchange(channel->probe_due, false)) write(Probe{channel->probes++});
  if (ack_due_ && receive_active_ == id) {
    write(Ack{receiver_.next_expected()});
    ack_due_ = false;
  }
  if (channel->express_ack_due) {
    write(ExpressAck{*std::exchange(channel->express_ack_due, std::nullopt)});
  }
  if (active_ == id) {
    if (std::exchange(segments_due_, false)) write(Segments{small_ ? kSmallSegment : 0});
    choose_lanes(now);
    sender_.produce(batch, now, at_most);
  }
  sender_.express().produce(id, batch, now);
}

bool SessionEngine::needs_socket_sample(ChannelId channel) const {
  return active_ == channel && sender_.needs_socket() && sender_.has_content();
}

bool SessionEngine::gated_by_socket(Timestamp now) const {
  return established() && active_ && sender_.needs_socket() && sender_.gated(now);
}

// --- time ---

// Dialling has a time-out of its own.
Timestamp SessionEngine::greeting_deadline() const {
  return channels_.empty() ? qvid::kNever : channels_.front().since + config_.greeting_timeout;
}

Timestamp SessionEngine::next_timer(Timestamp now) const {
  if (closed()) return qvid::kNever;
  Timestamp next = qvid::kNever;
  if (state_ == State::kGreeting) return greeting_deadline();
  for (const Channel& c : channels_) {
    next = std::min(next,
                    c.open ? std::min(c.last_heard + config_.silence_timeout,
                                      std::max(c.last_heard, c.last_probe) + config_.probe_interval)
                           : c.since + config_.greeting_timeout);
  }
  if (wants_dial(false) || wants_dial(true)) next = std::min(next, std::max(next_dial_, now));
  next = std::min({next, sender_.queue().next_deadline(), sender_.express().next_deadline()});
  // What could have been written by now waits for its socket.
  if (const Timestamp write = sender_.express().next_write(); write != qvid::kNever) {
    next = std::min(next, write > now ? write : now + kSocketPoll);
  }
  if (interrupted_) return std::min(next, *interrupted_ + resume_limit_);
  next = std::min({next, sender_.last_written() + config_.ping_interval, sender_.opens_at(now)});
  if (config_.failover && active_ && standby(active_) != nullptr) {
    next = std::min(next, sender_.failover_at());
  }
  if (!sender_.acks().empty()) {
    next = std::min(next, std::max(sender_.last_progress(), sender_.acks().oldest()) +
                              kStalledAckFactor * config_.silence_timeout);
  }
  return next;
}

void SessionEngine::on_timer(Timestamp now) {
  if (state_ == State::kGreeting && now >= greeting_deadline()) {
    return fail(CloseReason::kTimeout, "no greeting in time");
  }
  if (state_ != State::kEstablished) return;
  wake(now);
  check_channels(now);
  if (closed()) return;
  if (interrupted_ && now >= *interrupted_ + resume_limit_) {
    return fail(CloseReason::kTimeout,
                "the connection was lost and not resumed in time: " + last_trouble_);
  }
  sender_.cancel_expired(now);
  if (!interrupted_) check_content(now);
}

// A host that slept: what was not acknowledged meanwhile is nobody's fault.
void SessionEngine::wake(Timestamp now) {
  if (now - std::exchange(last_turn_, now) > config_.silence_timeout) sender_.touch(now);
}

void SessionEngine::check_channels(Timestamp now) {
  std::vector<ChannelId> silent;
  for (Channel& c : channels_) {
    if (now >=
        (c.open ? c.last_heard + config_.silence_timeout : c.since + config_.greeting_timeout)) {
      silent.push_back(c.id);
    } else if (c.open && now >= std::max(c.last_heard, c.last_probe) + config_.probe_interval) {
      c.probe_due = true;
      c.last_probe = now;
    }
  }
  for (const ChannelId id : silent) lost(id, "the other end is silent", now);
  if (closed() || side_ == Side::kServer) return;
  // Those that are no longer wanted go, once nothing uses them: with small segments, or beyond
  // what is wanted since several were dialled to resume.
  std::ptrdiff_t surplus =
      std::ranges::count_if(channels_, [](const Channel& c) { return c.open && !c.small(); }) -
      static_cast<std::ptrdiff_t>(wanted_channels());
  for (std::size_t i = channels_.size(); i-- > 0;) {
    const Channel& c = channels_[i];
    if (!c.open || active_ == c.id || receive_active_ == c.id) continue;
    if (c.small() ? !small_wanted() : surplus-- > 0) remove_channel(c.id, false);
  }
}

void SessionEngine::check_content(Timestamp now) {
  const AckTracker& acks = sender_.acks();
  if (!acks.empty() && now >= std::max(sender_.last_progress(), acks.oldest()) +
                                  kStalledAckFactor * config_.silence_timeout) {
    return fail(CloseReason::kTimeout, "the other end acknowledges nothing");
  }
  if (config_.failover && active_ && now >= sender_.failover_at() && standby(active_) != nullptr) {
    fail_over("nothing was acknowledged in time", now);
  }
  if (now >= sender_.last_written() + config_.ping_interval) {
    sender_.ping();
    sender_.touch_written(now);
  }
  wish_segments(now);
  move_if_better(now);
}

// --- what happened ---

void SessionEngine::take_events(std::vector<SessionEvent>& into) {
  into.clear();
  into.swap(events_);
}

SessionSignals SessionEngine::signals(Timestamp now) const {
  const AckTracker& acks = sender_.acks();
  const ControllerSignals controller = sender_.controller().signals();
  const Sender::Counters& counters = sender_.counters();
  return {.rtt = acks.rtt().rtt(),
          .rtt_low = acks.rtt().low(),
          .bandwidth = controller.bandwidth,
          .pressure = controller.pressure,
          .base_rtt = controller.base_rtt,
          .window = controller.window,
          .competing = controller.competing,
          .unacked = acks.bytes(),
          .oldest_unacked = acks.empty() ? Duration() : now - acks.oldest(),
          .allowance = sender_.controller().allowance(now),
          .queued = sender_.queue().bytes(),
          .queued_messages = sender_.queue().messages(),
          .sent = counters.sent,
          .acked = acks.acked(),
          .cancelled = counters.cancelled,
          .messages_delivered = counters.delivered,
          .messages_cancelled = counters.cancelled_messages,
          .received = received_,
          .messages_received = received_count_,
          .duplicates = receiver_.duplicates(),
          .express_sent = sender_.express().sent(),
          .express_received = express_taken_,
          .peer_in_trouble = now < peer_uses_lanes_until_,
          .channels = channels_.size(),
          .failovers = sender_.failovers(),
          .peer_failovers = peer_failovers_,
          .resumptions = resumptions_,
          .interrupted = interrupted_.has_value(),
          .small_segments = small_};
}

std::vector<StreamSignals> SessionEngine::stream_signals() const {
  std::vector<StreamSignals> all;
  sender_.queue().for_each_stream([&](StreamId stream, std::size_t messages, ByteCount bytes) {
    all.push_back({stream, messages, bytes});
  });
  std::ranges::sort(all, {}, [](const StreamSignals& s) { return s.stream.value(); });
  return all;
}

}  // namespace paceline
