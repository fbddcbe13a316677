#include "pubsub/client/room_client.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "pubsub/wire/control_message.h"

namespace qps {

RoomClient::RoomClient(boost::asio::io_context& io, paceline::Session::Remote remote,
                       const paceline::SessionConfig& config, Join join, Callbacks callbacks)
    : join_(std::move(join)), callbacks_(std::make_shared<Callbacks>(std::move(callbacks))) {
  join_.room = name_form(join_.room);
  join_.name = name_form(join_.name);
  join_.knows.emplace_back(kKnowsMembers);
  join_.knows.emplace_back(kKnowsNodes);
  session_ = paceline::Session::connect(
      io, std::move(remote), config,
      [this, weak = std::weak_ptr(alive_)](paceline::SessionEvent&& event) {
        if (!weak.expired()) on_event(std::move(event));
      });
}

RoomClient::~RoomClient() { session_->close("it leaves"); }

void RoomClient::close(const std::string& reason) { session_->close(reason); }

void RoomClient::tell(const ToBroker& message) { send_control(*session_, serialise(message)); }

void RoomClient::set_attributes(const nlohmann::json& set) { tell(SetAttributes{set}); }

void RoomClient::publish(const std::string& about, const std::string& track, bool losses) {
  end_track(track);
  const paceline::StreamId stream = session_->open_stream();
  published_[track].stream = stream;
  tell(Publish{.stream = stream.value(), .about = about, .track = track, .losses = losses});
}

void RoomClient::unpublish(const std::string& track) {
  if (end_track(track)) tell(Unpublish{track});
}

bool RoomClient::end_track(const std::string& track) {
  const auto it = published_.find(track);
  if (it == published_.end()) return false;
  session_->close_stream(it->second.stream);
  for (const auto& [id, sending] : it->second.sending) {
    for (const auto& [message, size] : sending.fragments) part_of_.erase(message);
  }
  published_.erase(it);
  return true;
}

bool RoomClient::send(const PartId& id, const Envelope& envelope, const Payload& data,
                      Timestamp deadline, const std::string& track) {
  const auto it = published_.find(track);
  if (it == published_.end()) return false;
  Sending sending;
  std::uint8_t number = 0;
  for (const Payload& fragment : to_fragments(envelope, data)) {
    const auto message = session_->send(
        it->second.stream,
        {.importance = paceline::Importance(envelope.importance),
         .position = paceline::Position(position_of({.part = id, .fragment = number})),
         .deadline = deadline,
         .payload = fragment,
         .in_any_order = broker_knows(kKnowsAnyOrder)});
    if (!message) {
      for (const auto& [sent, size] : sending.fragments) {
        part_of_.erase(sent);
        session_->cancel(sent);
      }
      return false;
    }
    sending.fragments[*message] = fragment.byte_count();
    part_of_[*message] = {.track = track, .id = id};
    ++number;
  }
  it->second.sending[id] = std::move(sending);
  return true;
}

bool RoomClient::cancel(const PartId& id, const std::string& track) {
  const auto of = published_.find(track);
  if (of == published_.end()) return false;
  const auto it = of->second.sending.find(id);
  if (it == of->second.sending.end()) return false;
  bool cancelled = false;
  for (const auto& [message, size] : it->second.fragments) cancelled |= session_->cancel(message);
  return cancelled;
}

void RoomClient::watch(const Watch& watch) { tell(watch); }
void RoomClient::pause(std::uint32_t viewer) { tell(PauseViewer{viewer}); }
void RoomClient::resume(std::uint32_t viewer) { tell(ResumeViewer{viewer}); }
void RoomClient::unwatch(std::uint32_t viewer) { tell(Unwatch{viewer}); }

bool RoomClient::broker_knows(const char* what) const {
  return std::ranges::find(broker_knowledge_, what) != broker_knowledge_.end();
}

bool RoomClient::say(const std::string& text, const std::string& to) {
  if (!joined_ || !broker_knows(kKnowsChat) || text.size() > kMaxChatText) return false;
  const std::string message = serialise(ToBroker(Say{.text = text, .to = to}));
  const auto sent = session_->send(paceline::kFirstStream,
                                   chat_message(Payload::copy_of(std::string_view(message)), 0));
  return static_cast<bool>(sent);
}

bool RoomClient::raise_hand(bool up) {
  if (!joined_ || !broker_knows(kKnowsHands)) return false;
  tell(RaiseHand{up});
  return true;
}

void RoomClient::administer(Admin admin) {
  admin.room = join_.room;
  tell(admin);
}

void RoomClient::on_event(paceline::SessionEvent&& event) {
  // Held here: a callback may destroy this object.
  const auto callbacks = callbacks_;
  if (std::holds_alternative<paceline::SessionEstablished>(event)) {
    tell(join_);
  } else if (const auto* message = std::get_if<paceline::MessageArrived>(&event)) {
    on_message(*message);
  } else if (const auto* ended = std::get_if<paceline::MessageEnded>(&event)) {
    on_ended(*ended);
  } else if (const auto* rate = std::get_if<paceline::PathRate>(&event)) {
    callbacks->path_rate(*rate);
  } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
    joined_ = false;
    const bool mended_by_waiting = closed->reason == paceline::CloseReason::kConnectionLost ||
                                   closed->reason == paceline::CloseReason::kTimeout ||
                                   closed->reason == paceline::CloseReason::kUnknownSession ||
                                   closed->reason == paceline::CloseReason::kPeer;
    if (farewell_) return callbacks->ended(farewell_->reason, farewell_->final);
    callbacks->ended(closed->detail, !mended_by_waiting);
  }
}

void RoomClient::on_message(const paceline::MessageArrived& message) {
  if (message.stream == paceline::kFirstStream) return on_control(message.payload);
  const auto place = place_of_.find(message.stream);
  if (place != place_of_.end()) return on_item(place->second, message);
  // Of a seat that is told in a moment, or of one that shows another by now.
  early_bytes_ += message.payload.byte_count();
  early_.push_back(message);
  while (early_.size() > kMaxEarly || early_bytes_ > kMaxEarlyBytes) {
    early_bytes_ -= early_.front().payload.byte_count();
    early_.pop_front();
  }
}

void RoomClient::on_item(const Place& place, const paceline::MessageArrived& message) {
  const auto callbacks = callbacks_;
  auto part = shown_.at(place).assembler.on_message(message.position.value(), message.payload);
  if (!part) return;  // another member's fault, not the broker's
  if (*part) callbacks->part(place.viewer, place.seat, *std::move(*part));
}

void RoomClient::on_control(const Payload& payload) {
  auto message = parse_from_broker(payload.text());
  if (!message) return session_->close(message.error().message);
  const auto callbacks = callbacks_;
  if (const auto* joined = std::get_if<Joined>(&*message)) {
    joined_ = true;
    broker_knowledge_ = joined->knows;
    administers_ = joined->admin;
    other_nodes_ = joined->nodes;
    callbacks->joined();
  } else if (const auto* member = std::get_if<Member>(&*message)) {
    callbacks->member(*member);
  } else if (const auto* members = std::get_if<Members>(&*message)) {
    const std::weak_ptr alive(alive_);
    for (const Member& each : members->of) {
      if (alive.expired()) return;
      if (each.name != join_.name) callbacks->member(each);
    }
  } else if (std::holds_alternative<Listed>(*message)) {
    callbacks->listed();
  } else if (const auto* left = std::get_if<Left>(&*message)) {
    callbacks->left(*left);
  } else if (const auto* seat = std::get_if<Seat>(&*message)) {
    on_seat(*seat);
  } else if (const auto* not_watched = std::get_if<NotWatched>(&*message)) {
    callbacks->not_watched(*not_watched);
  } else if (const auto* wanted = std::get_if<Wanted>(&*message)) {
    const std::weak_ptr alive(alive_);
    callbacks->losses_told(wanted->track, wanted->losses);
    if (!alive.expired()) callbacks->wanted(wanted->track, wanted->on);
  } else if (const auto* lost = std::get_if<Lost>(&*message)) {
    callbacks->lost(lost->track, lost->id);
  } else if (const auto* begin = std::get_if<Begin>(&*message)) {
    callbacks->begin(begin->track);
  } else if (const auto* demand = std::get_if<Demand>(&*message)) {
    callbacks->demand(demand->track, *demand);
  } else if (const auto* said = std::get_if<Said>(&*message)) {
    callbacks->said(*said);
  } else if (const auto* not_said = std::get_if<NotSaid>(&*message)) {
    callbacks->not_said(*not_said);
  } else if (const auto* hand = std::get_if<Hand>(&*message)) {
    callbacks->hand(*hand);
  } else if (const auto* held = std::get_if<Held>(&*message)) {
    callbacks->held(*held);
  } else if (const auto* locked = std::get_if<Locked>(&*message)) {
    callbacks->locked(locked->on);
  } else if (auto* nodes = std::get_if<Nodes>(&*message)) {
    other_nodes_ = std::move(nodes->of);
    callbacks->nodes();
  } else if (const auto* answer = std::get_if<Answer>(&*message)) {
    callbacks->answer(*answer);
  } else if (const auto* refused = std::get_if<JoinRefused>(&*message)) {
    farewell_ = {.reason = refused->reason, .final = true};
    session_->close(refused->reason);
  } else if (const auto* removed = std::get_if<Removed>(&*message)) {
    removed_ = true;
    farewell_ = {.reason = removed->reason, .final = true};
    session_->close(removed->reason);
  } else if (const auto* moving = std::get_if<Moving>(&*message)) {
    moving_ = true;
    farewell_ = {.reason = moving->reason, .final = false};
    if (!callbacks->moving()) session_->close(moving->reason);
  }
}

void RoomClient::on_seat(const Seat& seat) {
  const Place place{.viewer = seat.viewer, .seat = seat.seat};
  if (const auto before = shown_.find(place); before != shown_.end()) {
    place_of_.erase(before->second.stream);
    shown_.erase(before);
  }
  if (!seat.name.empty()) {
    const paceline::StreamId stream(seat.stream);
    if (place_of_.contains(stream)) return session_->close("two seats on one stream");
    shown_[place].stream = stream;
    place_of_[stream] = place;
  }
  const auto callbacks = callbacks_;
  const std::weak_ptr alive(alive_);
  callbacks->seat(seat);
  if (alive.expired() || seat.name.empty()) return;
  const auto early = std::exchange(early_, {});
  early_bytes_ = {};
  for (const paceline::MessageArrived& message : early) {
    if (alive.expired()) return;
    if (message.stream == paceline::StreamId(seat.stream)) {
      on_item(place, message);
    } else {
      early_bytes_ += message.payload.byte_count();
      early_.push_back(message);
    }
  }
}

void RoomClient::on_ended(const paceline::MessageEnded& ended) {
  const auto of = part_of_.find(ended.message);
  if (of == part_of_.end()) return;
  const Under under = of->second;
  part_of_.erase(of);
  const auto track = published_.find(under.track);
  if (track == published_.end()) return;
  auto& parts = track->second.sending;
  const auto it = parts.find(under.id);
  if (it == parts.end()) return;
  Sending& sending = it->second;
  sending.fragments.erase(ended.message);
  sending.sent += ended.sent;
  if (ended.outcome != paceline::Outcome::kDelivered && std::exchange(sending.whole, false)) {
    // What is left of it is of no use.
    for (const auto& [message, size] : std::map(sending.fragments)) session_->cancel(message);
  }
  if (!sending.fragments.empty()) return;
  const bool whole = sending.whole;
  const ByteCount sent = sending.sent;
  parts.erase(it);
  callbacks_->part_ended(under.track, under.id, whole, sent);
}

}  // namespace qps
