// What the peer's records do to the session.
#include <utility>

#include "transport/session/record_order.h"
#include "transport/session/session_engine.h"

namespace paceline {

void SessionEngine::receive(ChannelId id, std::span<const std::byte> bytes, Timestamp now) {
  Channel* channel = channels_.find(id);
  if (closed() || channel == nullptr) return;
  wake(now);
  channel->last_heard = now;
  channel->abandoned = false;
  received_ += ByteCount::of(bytes.size());
  channel->parser.feed(bytes);
  while (!closed()) {
    channel = channels_.find(id);  // a record may have ended it
    if (channel == nullptr) return;
    const RecordParser::Step step = channel->parser.next();
    if (std::holds_alternative<RecordParser::NeedMore>(step)) break;
    if (const auto* failure = std::get_if<RecordParser::Failure>(&step)) {
      if (channel->open || state_ == State::kGreeting) {
        return fail(failure->reason, failure->detail);
      }
      // A further socket has reached something else: the session itself is well.
      const std::string detail = failure->detail;
      remove_channel(id, true);
      return back_off(detail, now);
    }
    on_record(*channel, std::get<Record>(step), now);
  }
  if (established()) choice_.move_if_better(now);
}

void SessionEngine::establish(const Hello& peer, Timestamp now) {
  lanes_.set_peer_takes(peer.features.lanes);
  stripes_.set_peer_takes(peer.features.lanes);
  sender_.limit(peer.receive_limit, now);
  peer_limits_ = peer.limits;
  resume_limit_ = std::min(config_.resume_limit, peer.resume_limit);
  sender_.queue().set_reassembly_budget(peer.limits.max_reassembly);
  state_ = State::kEstablished;
  Channel& first = channels_.all().front();
  first.open = true;
  choice_.begin(first.id, now);
  events_.push_back(SessionEstablished{});
  begin_datagrams(peer.features);
}

void SessionEngine::on_ack(const Channel& channel, const Ack& ack, Timestamp now) {
  const bool current = is_active(channel.id);
  if (!sender_.on_ack(ack.next_expected, current, now)) {
    return fail(CloseReason::kProtocolError, "an ack of what was never sent");
  }
  if (!current || sender_.last_progress() != now) return;
  if (auto failed_over = choice_.on_progress(now)) events_.push_back(std::move(*failed_over));
}

void SessionEngine::on_activate(Channel& channel, const Activate& activate, Timestamp now) {
  const auto moved = incoming_.on_activate(activate, channels_.receiving() == channel.id, now);
  if (!moved) return fail(CloseReason::kProtocolError, moved.error().message);
  channel.has_content = true;
  if (!*moved) return;
  const std::optional<ChannelId> before = channels_.receiving();
  channels_.set_receiving(channel.id);
  if (!activate.failover || !before || before == channel.id) return;
  // It has closed that socket; whether the news of it ever gets here, nobody knows.
  if (is_active(*before) && choice_.hardly_any_left()) return;
  lost(*before, "the other end gave it up", now);
}

void SessionEngine::on_close(const Channel& channel, const Close& close, Timestamp now) {
  if (channel.open) {
    channels_.end_all();
    return end(close.reason, close.detail);
  }
  // The answer to a greeting is a refusal.
  if (state_ == State::kGreeting) return end(close.reason, close.detail);
  if (close.reason == CloseReason::kUnknownSession && channels_.open() == 0) {
    return end(close.reason, close.detail);
  }
  remove_channel(channel.id, false);
  back_off(close.detail, now);
}

void SessionEngine::on_record(Channel& channel, const Record& record, Timestamp now) {
  struct Visitor {
    SessionEngine& e;
    Channel& channel;
    Timestamp now;

    void operator()(const Hello&) const {}
    void operator()(const Bind&) const {}
    void operator()(const Welcome& r) const {
      e.credentials_ = {r.session, r.secret};
      e.establish({r.limits, r.resume_limit, r.features, r.receive_limit}, now);
    }
    void operator()(const Bound&) const { e.on_open(channel, now); }
    void operator()(const Close& r) const { e.on_close(channel, r, now); }
    void operator()(const Activate& r) const { e.on_activate(channel, r, now); }
    void operator()(const Probe& r) const { channel.reply_due = r.id; }
    void operator()(const ProbeReply&) const {}
    void operator()(const Segments& r) const { e.segments_.on_peer(r); }
    void operator()(const Ack& r) const { e.on_ack(channel, r, now); }
    void operator()(const LaneAck& r) const {
      if (e.sender_.on_lane_ack(channel.id, r.number, now)) return;
      e.fail(CloseReason::kProtocolError, "an ack of what was never sent");
    }
    void operator()(const LaneMessage& r) const {
      channel.lane_ack_due = r.number;
      if (SendQueue::is_urgent(r.importance, r.bytes.size())) {
        e.lanes_.on_peer_used(now);
      } else {
        e.stripes_.on_peer_used(now);
      }
      check(e.incoming_.on(r));
    }
    void operator()(const Ping& r) const { check(e.incoming_.on(r, receiving(), now)); }
    void operator()(const Cancel& r) const { check(e.incoming_.on(r, receiving(), now)); }
    void operator()(const StreamClose& r) const { check(e.incoming_.on(r, receiving(), now)); }
    void operator()(const Chunk& r) const { check(e.incoming_.on(r, receiving(), now)); }
    bool receiving() const { return e.channels_.receiving() == channel.id; }
    void check(const IncomingContent::Taken& taken) const {
      if (!taken) e.fail(CloseReason::kProtocolError, taken.error().message);
    }
  };
  if (auto wrong = out_of_place(record, channel, side_, state_ == State::kGreeting)) {
    return fail(CloseReason::kProtocolError, std::move(*wrong));
  }
  std::visit(Visitor{*this, channel, now}, record);
}

}  // namespace paceline
