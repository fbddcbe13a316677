#include "transport/session/session_engine.h"

#include <algorithm>
#include <utility>

#include "transport/wire/write_record.h"

namespace paceline {
namespace {

// A peer that acknowledges nothing for this many silence time-outs, although it talks.
constexpr int kStalledAckFactor = 3;
constexpr Duration kSocketPoll = std::chrono::milliseconds(5);

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
      streams_(side, sender_.queue()),
      incoming_(config.limits, now, events_),
      channels_(side, config_),
      dialing_(config_),
      segments_(side, config.small_segments),
      lanes_(channels_, sender_.lanes()),
      stripes_(channels_, sender_),
      choice_(side, config_, channels_, sender_, segments_),
      last_turn_(now) {
  incoming_.hold_at_most(config.stranger_reassembly);
}

SessionEngine::SessionEngine(const SessionConfig& config, Timestamp now)
    : SessionEngine(Side::kClient, config, now) {}

SessionEngine::SessionEngine(const SessionConfig& config, const SessionCredentials& credentials,
                             const Hello& hello, Timestamp now)
    : SessionEngine(Side::kServer, config, now) {
  credentials_ = credentials;
  const Welcome welcome{.session = credentials.session,
                        .secret = credentials.secret,
                        .limits = config.limits,
                        .resume_limit = config.resume_limit,
                        .features = features(),
                        .receive_limit = config_.receive_limit};
  channels_.add(kFirstChannel, 0, welcome, true, now);
  establish(hello, now);
}

Features SessionEngine::features() const {
  return {.lanes = true,
          .datagrams = config_.datagrams != Datagrams::kNever,
          .parity = true,
          .short_fragments = true};
}

// --- the application ---

StreamId SessionEngine::open_stream(double weight) { return streams_.open(weight); }

void SessionEngine::close_stream(StreamId stream) {
  if (!closed() && streams_.close(stream)) sender_.close_stream(stream);
}

qvid::Result<MessageId> SessionEngine::send(StreamId stream, Message message, Timestamp now) {
  if (closed()) return qvid::Error{"the session is closed"};
  if (!established()) return qvid::Error{"the session is not established yet"};
  return streams_.send(stream, std::move(message), peer_limits_, now);
}

bool SessionEngine::cancel(MessageId message) { return sender_.cancel(message); }

void SessionEngine::close(std::string detail, CloseReason reason) {
  if (closed()) return;
  // What the peer reads is its point of view: for it, this end is the peer.
  close_ = Close{reason == CloseReason::kLocal ? CloseReason::kPeer : reason, detail};
  for (Channel& c : channels_.all()) c.close_due = c.open || side_ == Side::kClient;
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

ChannelNeeds SessionEngine::needs(Timestamp now) const {
  return {.interrupted = interrupted_.has_value(),
          .lanes = lanes_.wanted(),
          .stripes = stripes_.wanted(now),
          .small = segments_.small_by_any()};
}

void SessionEngine::remove_channel(ChannelId channel, bool abort) {
  channels_.remove(channel, abort);
  sender_.lanes().on_closed(channel);
}

ChannelId SessionEngine::connected(std::uint32_t segment, Timestamp now) {
  const ChannelId id = dialing_.connected(segment);
  if (closed()) {
    channels_.turn_away(id);
    return id;
  }
  if (id == kFirstChannel) {
    const Hello hello{.limits = config_.limits,
                      .resume_limit = config_.resume_limit,
                      .features = features(),
                      .receive_limit = config_.receive_limit};
    channels_.add(id, segment, hello, false, now);
    return id;
  }
  Bind bind{
      .session = credentials_.session, .channel = id.value(), .segment = segment, .proof = {}};
  bind.proof = bind_proof(credentials_.secret, bind);
  channels_.add(id, segment, bind, false, now);
  return id;
}

qvid::Result<ChannelId> SessionEngine::accept_bind(const Bind& bind, Timestamp now) {
  if (closed()) return qvid::Error{"the session is closed"};
  if (!proves(bind, credentials_.secret)) return qvid::Error{"a bind without proof"};
  if (channels_.size() >= ChannelSet::kMost) return qvid::Error{"the session has enough sockets"};
  if (!used_.use(bind.channel)) return qvid::Error{"a bind that was used before"};
  on_open(channels_.add(ChannelId(bind.channel), bind.segment, Bound{}, true, now), now);
  return ChannelId(bind.channel);
}

void SessionEngine::on_open(Channel& channel, Timestamp now) {
  channel.open = true;
  dialing_.on_open();
  if (interrupted_) {
    ++resumptions_;
    events_.push_back(SessionResumed{now - *std::exchange(interrupted_, std::nullopt)});
    sender_.touch(now);
    wants_port_ = path_ && !path_->open();
  }
  std::vector<ChannelId> abandoned;
  for (const Channel& c : channels_.all()) {
    if (c.abandoned && channels_.active() != c.id && channels_.receiving() != c.id) {
      abandoned.push_back(c.id);
    }
  }
  for (const ChannelId id : abandoned) remove_channel(id, true);
  if (!channels_.active()) fail_over("its socket was lost", now);
}

void SessionEngine::lost(ChannelId channel, const std::string& detail, Timestamp now) {
  const Channel* c = channels_.find(channel);
  if (c == nullptr || closed()) return;
  const bool was_open = c->open;
  const bool was_active = channels_.active() == channel;
  last_trouble_ = detail;
  remove_channel(channel, true);
  if (state_ == State::kGreeting) return end(CloseReason::kConnectionLost, detail);
  if (!was_open) return back_off(detail, now);
  if (was_active) fail_over(detail, now);
  if (channels_.open() > 0 || interrupted_) return;
  if (resume_limit_ <= Duration()) return end(CloseReason::kConnectionLost, detail);
  interrupted_ = now;
  dialing_.on_interrupted(now);
  events_.push_back(SessionInterrupted{detail});
}

std::optional<std::uint32_t> SessionEngine::dial(Timestamp now) {
  if (side_ == Side::kServer || !established()) return std::nullopt;
  return dialing_.dial(needs(now), channels_, now);
}

void SessionEngine::dial_failed(std::uint32_t segment, const std::string& detail, bool permanent,
                                Timestamp now) {
  if (closed()) return;
  if (state_ == State::kGreeting) {
    return end(permanent ? CloseReason::kUntrusted : CloseReason::kConnectionLost, detail);
  }
  dialing_.failed(segment);
  if (permanent && interrupted_) return end(CloseReason::kUntrusted, detail);
  back_off(detail, now);
}

void SessionEngine::back_off(const std::string& detail, Timestamp now) {
  last_trouble_ = detail;
  dialing_.back_off(now);
}

void SessionEngine::fail_over(const std::string& reason, Timestamp now) {
  if (const auto failed = choice_.fail_over(reason, now)) remove_channel(*failed, true);
}

// --- a channel's socket ---

void SessionEngine::produce(ChannelId id, WriteBatch& batch, Timestamp now, std::size_t at_most) {
  Channel* channel = channels_.find(id);
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
  if (channels_.receiving() == id) {
    if (const auto ack = incoming_.take_ack()) write(*ack);
  }
  if (channel->lane_ack_due) {
    write(LaneAck{*std::exchange(channel->lane_ack_due, std::nullopt)});
  }
  if (is_active(id)) {
    if (const auto segments = segments_.take_due()) write(*segments);
    lanes_.choose(now);
    stripes_.choose(now);
    sender_.produce(batch, now, at_most);
  }
  sender_.lanes().produce(id, batch, now);
}

bool SessionEngine::needs_socket_sample(ChannelId channel) const {
  return (is_active(channel) || sender_.stripes().has(channel)) && sender_.needs_socket() &&
         sender_.has_content();
}

bool SessionEngine::gated_by_socket(Timestamp now) const {
  return established() && channels_.active() && sender_.needs_socket() && sender_.gated(now);
}

// --- time ---

// When a peer that acknowledges nothing is given up; kNever: nothing is outstanding.
Timestamp SessionEngine::stalled_at() const {
  if (sender_.oldest() == qvid::kNever) return qvid::kNever;
  return std::max(sender_.last_progress(), sender_.oldest()) +
         kStalledAckFactor * config_.silence_timeout;
}

Timestamp SessionEngine::next_timer(Timestamp now) const {
  if (closed()) return qvid::kNever;
  // Dialling the first socket has a time-out of its own.
  Timestamp next = channels_.next_check();
  if (state_ == State::kGreeting) return next;
  if (side_ == Side::kClient) next = std::min(next, dialing_.next_dial(needs(now), channels_, now));
  next = std::min({next, sender_.queue().next_deadline(), sender_.lanes().next_deadline()});
  // What could have been written by now waits for its socket.
  if (const Timestamp write = sender_.lanes().next_write(); write != qvid::kNever) {
    next = std::min(next, write > now ? write : now + kSocketPoll);
  }
  if (path_) next = std::min({next, path_->next_timer(), datagrams_by_});
  if (interrupted_) return std::min(next, *interrupted_ + resume_limit_);
  return std::min({next, sender_.last_written() + config_.ping_interval, sender_.opens_at(now),
                   choice_.fails_at(), stalled_at()});
}

void SessionEngine::on_timer(Timestamp now) {
  if (state_ == State::kGreeting && now >= channels_.next_check()) {
    return fail(CloseReason::kTimeout, "no greeting in time");
  }
  if (state_ != State::kEstablished) return;
  wake(now);
  check_channels(now);
  check_datagrams(now);
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
  for (const ChannelId id : channels_.check(now)) lost(id, "the other end is silent", now);
  if (closed() || side_ == Side::kServer) return;
  for (const ChannelId id : dialing_.surplus(needs(now), channels_)) remove_channel(id, false);
}

void SessionEngine::check_content(Timestamp now) {
  if (now >= stalled_at()) {
    return fail(CloseReason::kTimeout, "the other end acknowledges nothing");
  }
  if (now >= choice_.fails_at()) fail_over("nothing was acknowledged in time", now);
  if (now >= sender_.last_written() + config_.ping_interval) {
    sender_.ping();
    sender_.touch_written(now);
  }
  segments_.update(sender_.take_longest_gap(), sender_.controller().signals(), now);
  choice_.move_if_better(now);
}

// --- what happened ---

void SessionEngine::take_events(std::vector<SessionEvent>& into) {
  into.clear();
  into.swap(events_);
}

SessionSignals SessionEngine::signals(Timestamp now) const {
  // Of few and small datagrams, as of who only receives, TCP's knows more.
  const bool by_path =
      path_ && path_->usable(now) && path_->rtt().valid() && sender_.counters().by_datagrams > 0;
  const RttEstimator& rtt = by_path ? path_->rtt() : sender_.acks().rtt();
  const ControllerSignals controller = sender_.controller().signals();
  const Sender::Counters& counters = sender_.counters();
  return {.rtt = rtt.rtt(),
          .rtt_low = rtt.low(),
          .bandwidth = controller.bandwidth,
          .pressure = controller.pressure,
          .base_rtt = controller.base_rtt,
          .window = controller.window,
          .competing = controller.competing,
          .unacked = sender_.unacked(),
          .oldest_unacked = sender_.oldest() == qvid::kNever ? Duration() : now - sender_.oldest(),
          .silent = sender_.silent(),
          .allowance = sender_.allowance(now),
          .queued = sender_.queue().bytes(),
          .queued_messages = sender_.queue().messages(),
          .sent = counters.sent,
          .acked = sender_.acked(),
          .cancelled = counters.cancelled,
          .messages_delivered = counters.delivered,
          .messages_cancelled = counters.cancelled_messages,
          .received = received_,
          .messages_received = incoming_.counters().messages,
          .duplicates = incoming_.duplicates(),
          .lanes_sent = sender_.lanes().sent(),
          .lanes_received = incoming_.counters().lanes,
          .striped = counters.striped,
          .datagrams = counters.by_datagrams,
          .datagrams_received = datagrams_received_,
          .datagrams_lost = path_ ? path_->datagrams_lost() : 0,
          .udp = path_ && path_->open(),
          .peer_in_trouble = lanes_.peer_uses(now),
          .channels = channels_.size(),
          .failovers = sender_.failovers(),
          .peer_failovers = incoming_.counters().failovers,
          .resumptions = resumptions_,
          .interrupted = interrupted_.has_value(),
          .small_segments = segments_.small()};
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
