#include "pubsub/broker/seat_feed.h"

#include <algorithm>
#include <utility>

namespace qps {

SeatFeed::SeatFeed(Port& port, Messages& messages, Duration window,
                   std::function<void(const Publication*, paceline::StreamId)> on_seated)
    : port_(port), messages_(messages), window_(window), on_seated_(std::move(on_seated)) {}

SeatFeed::~SeatFeed() {
  detach(next_);
  leave();
}

void SeatFeed::detach(Publication*& publication) {
  if (publication != nullptr) std::erase(publication->feeds, this);
  publication = nullptr;
}

// Ends what is shown: what waits of it goes at once.
void SeatFeed::leave() {
  if (shown_ == nullptr) return;
  detach(shown_);
  port_.close_stream(stream_);
  for (const auto& [id, message] : pending_) messages_.erase(message);
  pending_.clear();
  forwarder_.reset();
}

// Precondition: it is attached to `publication`, unless that is nullptr.
void SeatFeed::seat(Publication* publication) {
  leave();
  shown_ = publication;
  if (publication != nullptr) {
    stream_ = port_.open_stream();
    forwarder_.emplace(publication->log, window_);
    begin();
  }
  asked_ = false;
  tally_ = {};
  on_seated_(publication, stream_);
}

void SeatFeed::show(Publication* publication) {
  if (publication == (next_ != nullptr ? next_ : shown_)) return;
  detach(next_);
  if (publication == shown_) return;
  if (publication == nullptr) return seat(nullptr);
  publication->feeds.push_back(this);
  if (shown_ == nullptr || paused_) return seat(publication);
  next_ = publication;
}

void SeatFeed::on_publication_gone(const Publication& publication) {
  if (next_ == &publication) detach(next_);
  if (shown_ != &publication) return;
  // What is to come next is shown at once: there is nothing to wait with.
  seat(std::exchange(next_, nullptr));
}

void SeatFeed::pause(bool on) {
  if (std::exchange(paused_, on) == on) return;
  if (!on) return begin();
  if (forwarder_) cancel(forwarder_->restart());
  if (next_ != nullptr) seat(std::exchange(next_, nullptr));
}

void SeatFeed::set_window(Duration window) {
  window_ = window;
  if (forwarder_) forwarder_->set_window(window);
}

bool SeatFeed::wants_beginning(const Publication& of) const {
  if (paused_) return false;
  return next_ == &of || (shown_ == &of && (asked_ || forwarder_->wants_beginning()));
}

void SeatFeed::on_fragment(Publication& from, const FragmentId& id, const Payload& payload,
                           Timestamp now) {
  if (paused_) return;
  if (&from == next_) {
    const ItemLog::Entry* entry = from.log.find(id.part);
    if (id.fragment != 0 || entry == nullptr || !entry->envelope.begins) return;
    seat(std::exchange(next_, nullptr));
  }
  if (&from != shown_) return;
  if (asked_ && id.fragment == 0) {
    const ItemLog::Entry* entry = from.log.find(id.part);
    if (entry != nullptr && entry->envelope.begins) asked_ = false;
  }
  if (pending_.contains(id)) return;
  const auto send = forwarder_->on_fragment(id);
  if (!send) {
    if (forwarder_->begun()) tally_.on_unusable(from.log.find(id.part), payload.byte_count());
    return;
  }
  tally_.on_offered(send->importance, payload.byte_count());
  const auto message = port_.send(stream_, {.importance = paceline::Importance(send->importance),
                                            .position = paceline::Position(send->position),
                                            .deadline = send->deadline,
                                            .payload = payload,
                                            .in_any_order = true});  // PartAssembler sorts
  if (!message) {
    meter_.on_ended(meter_.on_sent(payload.byte_count(), now), {}, false, now);
    tally_.on_lost(from.log.find(id.part));
    note_lost(id.part);
    return cancel(forwarder_->on_ended(id, false));
  }
  pending_[id] = *message;
  messages_[*message] = {
      .seat = this, .id = id, .came = now, .ticket = meter_.on_sent(payload.byte_count(), now)};
}

void SeatFeed::on_ended(const Under& under, const paceline::MessageEnded& ended, Timestamp now) {
  const FragmentId& id = under.id;
  pending_.erase(id);
  const bool delivered = ended.outcome == paceline::Outcome::kDelivered;
  meter_.on_ended(under.ticket, ended.sent, delivered, now);
  if (delivered) {
    tally_.on_delivered(ended.size);
  } else if (shown_ != nullptr && !paused_) {
    tally_.on_lost(shown_->log.find(id.part));
  }
  if (!delivered) note_lost(id.part);
  if (forwarder_) cancel(forwarder_->on_ended(id, delivered));
}

// Once of a part; what needs it the publisher knows.
void SeatFeed::note_lost(const PartId& part) {
  if (shown_ == nullptr || !shown_->losses_told || !forwarder_->usable(part)) return;
  shown_->lost.push_back(part);
}

void SeatFeed::begin() {
  meter_.clear();
  begins_ = true;
}

void SeatFeed::cancel(const std::vector<FragmentId>& fragments) {
  for (const FragmentId& id : fragments) {
    const auto it = pending_.find(id);
    if (it != pending_.end()) port_.cancel(it->second);
  }
}

}  // namespace qps
