// A node's end of a link to another one: it watches there who is there, for those who are here, and
// shows them to its own broker.
//
//   Broker --FarWish--> NodeLink --watch, pause, ask, take--> the other broker
//          <--show_far, on_far_item-- <--member, seat, items, said--
//
// However many here watch a track, it is watched once there: what they want is merged by the broker
// (one publication here, as a member's of its own), so each fragment crosses once.
//
// Bounds: rooms, kMaxPlace; members of each, kMaxMembers: the session ends beyond; items that came
// before their seat was told, kMaxEarly. Pure. Thread: the broker's.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pubsub/broker/broker.h"

namespace qps {

class NodeLink {
 public:
  static constexpr std::size_t kMaxEarly = 256;
  static constexpr std::size_t kMaxMembers = 10'000;  // as a broker's own max_members may be

  // `node`: the other end; `me` is this node. `broker` outlives this.
  NodeLink(std::string node, std::string me, Broker& broker)
      : node_(std::move(node)), me_(std::move(me)), broker_(broker) {}

  // A session is established; the other end wants that token. Or it is over.
  void on_up(const std::string& token);
  void on_down(const std::string& reason, Timestamp now);
  // What does not parse ends the session, for that reason.
  std::optional<std::string> on_message(const paceline::MessageArrived& message, Timestamp now);

  // In which rooms members of both nodes are.
  void set_rooms(const std::set<std::string>& rooms, Timestamp now);
  // Those whom the broker did not take are shown again.
  void show_again(Timestamp now);
  void wish(const FarName& who, const FarWish& wish);
  void administer(const Admin& admin);
  // Texts for the session's first stream, since the last call.
  std::vector<std::string> take_texts();

  bool ready() const { return ready_; }  // the other end has let it in
  std::size_t rooms() const { return rooms_.size(); }
  bool shows_somebody_in(const std::string& room) const {
    const auto it = rooms_.find(room);
    return it != rooms_.end() && !it->second.members.empty();
  }
  std::size_t members() const;
  struct Counts {  // ever
    std::int64_t fragments = 0;
    qvid::ByteCount bytes;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Feed {
    std::uint32_t viewer = 0;  // 0: it is not watched
    bool paused = false;
    Duration window{};
    std::optional<paceline::StreamId> stream;
  };
  struct Far {
    Member member;
    bool shown = false;
    std::map<std::string, Feed> feeds;  // by track, of those that are or were wanted
  };
  struct Room {
    std::uint32_t place = 0;
    std::map<std::string, Far> members;
    std::map<std::uint32_t, std::pair<std::string, std::string>> viewers;  // name and track
  };
  struct Source {
    FarName who;
    std::string track;
  };

  void say(const Room& room, const ToBroker& message);
  void join(const std::string& name);
  std::optional<std::string> on_told(const std::string& name, Room& room, const FromBroker& told,
                                     Timestamp now);
  void on_member(const std::string& name, Room& room, const Member& member, Timestamp now);
  std::uint32_t new_viewer(const Room& room);
  void on_seat(const std::string& name, Room& room, const Seat& seat, Timestamp now);
  void on_said(const std::string& name, const Said& said, Timestamp now);
  void end_feed(Room& room, Feed& feed);
  void on_item(const paceline::MessageArrived& message, Timestamp now);

  const std::string node_;
  const std::string me_;
  Broker& broker_;
  bool ready_ = false;
  std::map<std::string, Room> rooms_;
  std::map<std::uint32_t, std::string> room_of_;  // by place
  std::uint32_t next_place_ = 1;
  std::uint32_t next_viewer_ = 1;
  std::map<paceline::StreamId, Source> sources_;
  std::deque<paceline::MessageArrived> early_;
  // By room, the last message of chat that came; kept over a lost session, so that none is told twice.
  std::map<std::string, std::int64_t> said_;
  std::vector<std::string> texts_;
  Counts counts_;
};

}  // namespace qps
