#include "pubsub/cluster/node_link.h"

#include <algorithm>
#include <utility>

namespace qps {

std::vector<std::string> NodeLink::take_texts() { return std::exchange(texts_, {}); }

std::size_t NodeLink::members() const {
  std::size_t all = 0;
  for (const auto& [name, room] : rooms_) all += room.members.size();
  return all;
}

void NodeLink::on_up(const std::string& token) {
  early_.clear();  // what came of the session before, after its end
  texts_ = {serialise(ToBroker(Link{.node = me_, .token = token}))};
}

void NodeLink::on_down(const std::string& reason, Timestamp now) {
  ready_ = false;
  texts_.clear();
  for (auto& [name, room] : rooms_) {
    broker_.hide_far_of(node_, name, reason, now);
    room = {};
  }
  room_of_.clear();
  sources_.clear();
  early_.clear();
  next_place_ = 1;
  next_viewer_ = 1;
}

void NodeLink::say(const Room& room, const ToBroker& message) {
  if (ready_ && room.place != 0) texts_.push_back(placed(room.place, serialise(message)));
}

void NodeLink::join(const std::string& name) {
  Room& room = rooms_[name];
  if (!ready_ || room.place != 0) return;
  // The number of one that was left is free again.
  while (room_of_.contains(next_place_)) next_place_ = next_place_ % kMaxPlace + 1;
  room.place = next_place_;
  next_place_ = next_place_ % kMaxPlace + 1;
  room_of_[room.place] = name;
  say(room, Join{.room = name, .name = me_, .token = {}});
}

void NodeLink::set_rooms(const std::set<std::string>& rooms, Timestamp now) {
  for (auto it = rooms_.begin(); it != rooms_.end();) {
    if (rooms.contains(it->first)) {
      ++it;
      continue;
    }
    say(it->second, LeavePlace{});
    broker_.hide_far_of(node_, it->first, "nobody of this room is there any more", now);
    std::erase_if(sources_, [&](const auto& each) { return each.second.who.room == it->first; });
    room_of_.erase(it->second.place);
    said_.erase(it->first);
    it = rooms_.erase(it);
  }
  for (const std::string& name : rooms) join(name);
}

void NodeLink::administer(const Admin& admin) {
  const auto room = rooms_.find(admin.room);
  if (room == rooms_.end()) return;
  Admin told = admin;
  told.token.clear();
  say(room->second, told);
}

void NodeLink::wish(const FarName& who, const FarWish& wish) {
  const auto in = rooms_.find(who.room);
  if (in == rooms_.end()) return;
  Room& room = in->second;
  const auto of = room.members.find(who.name);
  if (of == room.members.end()) return;
  if (const auto* wanted = std::get_if<FarWanted>(&wish)) {
    Feed& feed = of->second.feeds[wanted->track];
    if (!wanted->on) {
      if (feed.viewer != 0 && !std::exchange(feed.paused, true)) {
        say(room, PauseViewer{feed.viewer});
      }
      return;
    }
    const bool is_new = feed.viewer == 0;
    if (is_new) {
      feed.viewer = new_viewer(room);
      room.viewers[feed.viewer] = {who.name, wanted->track};
    }
    if (is_new || feed.window != wanted->window) {
      feed.window = wanted->window;
      say(room, Watch{.viewer = feed.viewer,
                      .names = {who.name},
                      .best = {},
                      .seats = 1,
                      .window = wanted->window,
                      .track = wanted->track});
    }
    if (std::exchange(feed.paused, false)) say(room, ResumeViewer{feed.viewer});
    return;
  }
  const std::string& track = std::holds_alternative<Begin>(wish) ? std::get<Begin>(wish).track
                                                                 : std::get<Demand>(wish).track;
  const auto feed = of->second.feeds.find(track);
  if (feed == of->second.feeds.end() || feed->second.viewer == 0) return;
  if (const auto* demand = std::get_if<Demand>(&wish)) {
    say(room, Take{.viewer = feed->second.viewer,
                   .most = demand->most,
                   .least = demand->least,
                   .contended = demand->contended});
  } else {
    say(room, AskBegin{feed->second.viewer});
  }
}

// The number of one that ended is free again.
std::uint32_t NodeLink::new_viewer(const Room& room) {
  while (room.viewers.contains(next_viewer_)) next_viewer_ = next_viewer_ % kMaxViewer + 1;
  const std::uint32_t viewer = next_viewer_;
  next_viewer_ = next_viewer_ % kMaxViewer + 1;
  return viewer;
}

std::optional<std::string> NodeLink::on_message(const paceline::MessageArrived& message,
                                                Timestamp now) {
  if (message.stream != paceline::kFirstStream) {
    on_item(message, now);
    return std::nullopt;
  }
  if (!ready_) {
    const auto told = parse_from_broker(message.payload.text());
    if (!told || !std::holds_alternative<Linked>(*told)) return "it does not let this node in";
    ready_ = true;
    std::set<std::string> rooms;
    for (const auto& [name, room] : rooms_) rooms.insert(name);
    for (const std::string& name : rooms) join(name);
    return std::nullopt;
  }
  const auto in = parse_placed(message.payload.text());
  if (!in) {
    // To the session as a whole, as when it stops: the sockets will tell.
    return parse_from_broker(message.payload.text()) ? std::nullopt
                                                     : std::optional<std::string>("no message");
  }
  const auto told = parse_from_broker(in->text);
  if (!told) return told.error().message;
  const auto name = room_of_.find(in->place);
  if (name == room_of_.end()) return std::nullopt;  // of one that was left
  return on_told(name->second, rooms_[name->second], *told, now);
}

std::optional<std::string> NodeLink::on_told(const std::string& name, Room& room,
                                             const FromBroker& told, Timestamp now) {
  if (const auto* member = std::get_if<Member>(&told)) {
    if (room.members.size() >= kMaxMembers && !room.members.contains(member->name)) {
      return "a room with more members than one may have";
    }
    on_member(name, room, *member, now);
  } else if (const auto* left = std::get_if<Left>(&told)) {
    const auto gone = room.members.find(left->name);
    if (gone == room.members.end()) return std::nullopt;
    for (auto& [track, feed] : gone->second.feeds) end_feed(room, feed);
    room.members.erase(gone);
    broker_.hide_far({node_, name, left->name}, left->reason, now);
  } else if (const auto* seat = std::get_if<Seat>(&told)) {
    on_seat(name, room, *seat, now);
  } else if (const auto* said = std::get_if<Said>(&told)) {
    on_said(name, *said, now);
  }
  return std::nullopt;
}

void NodeLink::on_member(const std::string& name, Room& room, const Member& member, Timestamp now) {
  Far& far = room.members[member.name];
  for (auto it = far.feeds.begin(); it != far.feeds.end();) {
    if (std::ranges::find(member.tracks, it->first) != member.tracks.end()) {
      ++it;
      continue;
    }
    end_feed(room, it->second);
    it = far.feeds.erase(it);
  }
  far.member = member;
  far.shown = broker_.show_far(node_, name, member, now);
}

void NodeLink::show_again(Timestamp now) {
  for (auto& [name, room] : rooms_) {
    for (auto& [who, far] : room.members) {
      if (!far.shown) far.shown = broker_.show_far(node_, name, far.member, now);
    }
  }
}

void NodeLink::end_feed(Room& room, Feed& feed) {
  if (feed.viewer == 0) return;
  say(room, Unwatch{feed.viewer});
  if (feed.stream) sources_.erase(*feed.stream);
  room.viewers.erase(feed.viewer);
}

void NodeLink::on_seat(const std::string& name, Room& room, const Seat& seat, Timestamp now) {
  const auto viewer = room.viewers.find(seat.viewer);
  if (viewer == room.viewers.end()) return;
  const auto& [who, track] = viewer->second;
  const auto far = room.members.find(who);
  if (far == room.members.end()) return;
  Feed& feed = far->second.feeds[track];
  if (feed.stream) sources_.erase(*feed.stream);
  feed.stream.reset();
  if (seat.name.empty()) return;
  const FarName of{node_, name, who};
  feed.stream = paceline::StreamId(seat.stream);
  sources_[*feed.stream] = {.who = of, .track = track};
  broker_.begin_far(of, track, seat.about, now);
  for (const auto& message : std::exchange(early_, {})) on_item(message, now);
}

void NodeLink::on_item(const paceline::MessageArrived& message, Timestamp now) {
  const auto source = sources_.find(message.stream);
  if (source == sources_.end()) {
    if (early_.size() == kMaxEarly) early_.pop_front();
    early_.push_back(message);
    return;
  }
  ++counts_.fragments;
  counts_.bytes += message.payload.byte_count();
  const Source& from = source->second;
  broker_.on_far_item(from.who, from.track, message, now);
}

void NodeLink::on_said(const std::string& name, const Said& said, Timestamp now) {
  if (said.to.empty()) {
    std::int64_t& last = said_[name];
    if (said.number <= last) return;
    last = said.number;
  }
  broker_.on_far_said(name, said, now);
}

}  // namespace qps
