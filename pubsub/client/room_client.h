// A member of a room: one session with a broker, for who publishes, watches, or both.
//
// What is published are tracks (broker.h), named by the caller; the default one is "". Each has its
// items, numbered for itself, and its part of the callbacks. Of a track that has ended, or that was
// published anew, no part is told of any more.
//
// Calls before `joined` are refused or forgotten: a caller does all it wants in that callback, and
// so again after it has connected anew, which is the caller's to decide.
//
// Thread: the io_context's. Callbacks come from the event loop, never from inside a call; after
// `ended` none. They may call anything here, and may destroy the object.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "pubsub/wire/control.h"
#include "pubsub/wire/part_assembler.h"
#include "transport/session/session.h"

namespace qps {

class RoomClient {
 public:
  struct Callbacks {
    std::function<void()> joined;
    std::function<void(const Member&)> member = [](const Member&) {};
    std::function<void()> listed = [] {};
    std::function<void(const Left&)> left = [](const Left&) {};
    // Items of a seat follow under that viewer and seat.
    std::function<void(const Seat&)> seat = [](const Seat&) {};
    std::function<void(std::uint32_t viewer, int seat, Part&&)> part = [](std::uint32_t, int,
                                                                          Part&&) {};
    std::function<void(const NotWatched&)> not_watched = [](const NotWatched&) {};
    std::function<void(const std::string& track, bool wanted)> wanted = [](const std::string&,
                                                                           bool) {};
    // Of a track that was published with `losses`: one seat shows it, and what is given up for that
    // is told from now on; or it is no longer.
    std::function<void(const std::string& track, bool on)> losses_told = [](const std::string&,
                                                                            bool) {};
    std::function<void(const std::string& track, const PartId&)> lost = [](const std::string&,
                                                                           const PartId&) {};
    std::function<void(const std::string& track)> begin = [](const std::string&) {};
    std::function<void(const std::string& track, const Demand&)> demand = [](const std::string&,
                                                                             const Demand&) {};
    // Chat, one's own too.
    std::function<void(const Said&)> said = [](const Said&) {};
    std::function<void(const NotSaid&)> not_said = [](const NotSaid&) {};
    // One's own hand, as the broker has it: 0: it is down.
    std::function<void(const Hand&)> hand = [](const Hand&) {};
    // A track of one's own goes to nobody, or does again; the room is locked, or open again.
    std::function<void(const Held&)> held = [](const Held&) {};
    std::function<void(bool on)> locked = [](bool) {};
    std::function<void()> nodes = [] {};  // other_nodes() are others
    // To `administer`.
    std::function<void(const Answer&)> answer = [](const Answer&) {};
    // A part that was sent: all of it arrived, or some of it did not. `sent`: of its bytes.
    std::function<void(const std::string& track, const PartId&, bool delivered, ByteCount sent)>
        part_ended = [](const std::string&, const PartId&, bool, ByteCount) {};
    // What the transport says of the path to the broker.
    std::function<void(const paceline::PathRate&)> path_rate = [](const auto&) {};
    // The broker hands its clients over. True: the owner goes elsewhere, and closes this then; else it
    // ends, and `ended` follows.
    std::function<bool()> moving = [] { return false; };
    // The session is over. `final`: to try again would be of no use (refused).
    std::function<void(const std::string& reason, bool final)> ended;
  };
  RoomClient(boost::asio::io_context& io, paceline::Session::Remote remote,
             const paceline::SessionConfig& config, Join join, Callbacks callbacks);
  ~RoomClient();
  RoomClient(const RoomClient&) = delete;
  RoomClient& operator=(const RoomClient&) = delete;

  void set_attributes(const nlohmann::json& set);
  // Items follow on a stream of their own. Precondition: is_track(track), and with it there are at
  // most kMaxTracks.
  void publish(const std::string& about, const std::string& track = "", bool losses = false);
  void unpublish(const std::string& track = "");
  // Sends a part of an item; false: it was refused, as of a track that is not published, and
  // nothing of it goes.
  bool send(const PartId& id, const Envelope& envelope, const Payload& data, Timestamp deadline,
            const std::string& track = "");
  // What has not gone out is not sent; part_ended follows. False: all of it is out.
  bool cancel(const PartId& id, const std::string& track = "");

  void watch(const Watch& watch);
  void pause(std::uint32_t viewer);
  void resume(std::uint32_t viewer);
  void unwatch(std::uint32_t viewer);

  // To a member, or, where `to` is empty, to all; `said` or `not_said` follows. False: the broker has
  // no chat, or the text is longer than kMaxChatText.
  bool say(const std::string& text, const std::string& to = "");

  // False: the broker knows of no hands.
  bool raise_hand(bool up);
  // Of this room; for who administers(). `answer` follows.
  void administer(Admin admin);

  void close(const std::string& reason);
  bool joined() const { return joined_; }
  // Since it has joined: the broker understands that (control_values.h).
  bool broker_knows(const char* what) const;
  // Since it has joined: it may kick here, and, where the broker knows kKnowsOrder, hold and lock.
  bool administers() const { return administers_; }
  // Since it has joined: as Joined::nodes, now.
  const std::vector<std::string>& other_nodes() const { return other_nodes_; }
  // The broker has put it out (kicked, or its token has ended): for `ended`, which comes with
  // final.
  bool removed() const { return removed_; }
  // The broker hands its clients over, all at once: for `ended`, too.
  bool moving() const { return moving_; }
  paceline::SessionSignals signals() const { return session_->signals(); }
  const paceline::Session& session() const { return *session_; }
  void set_held(Duration held) { session_->set_held(held); }

 private:
  struct Sending {
    std::map<paceline::MessageId, ByteCount> fragments;
    bool whole = true;
    ByteCount sent;
  };
  struct Track {
    paceline::StreamId stream;
    std::map<PartId, Sending> sending;
  };
  struct Under {
    std::string track;
    PartId id;
  };
  struct Place {
    std::uint32_t viewer = 0;
    int seat = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct Shown {
    paceline::StreamId stream;
    PartAssembler assembler;
  };
  void tell(const ToBroker& message);
  bool end_track(const std::string& track);  // true: it was published
  void on_event(paceline::SessionEvent&& event);
  void on_message(const paceline::MessageArrived& message);
  void on_item(const Place& place, const paceline::MessageArrived& message);
  void on_control(const Payload& payload);
  void on_seat(const Seat& seat);
  void on_ended(const paceline::MessageEnded& ended);

  Join join_;
  const std::shared_ptr<Callbacks> callbacks_;
  bool joined_ = false;
  std::vector<std::string> broker_knowledge_;
  bool administers_ = false;
  std::vector<std::string> other_nodes_;
  struct Farewell {
    std::string reason;
    bool final = false;
  };
  bool removed_ = false;
  bool moving_ = false;
  std::optional<Farewell> farewell_;  // what the broker said before it was closed
  std::map<std::string, Track> published_;
  std::map<paceline::MessageId, Under> part_of_;  // of what is published
  std::map<Place, Shown> shown_;
  std::map<paceline::StreamId, Place> place_of_;
  // Of streams that no seat has yet: streams overtake each other, and datagrams what goes over TCP.
  // At most kMaxEarly and kMaxEarlyBytes; the oldest go.
  static constexpr std::size_t kMaxEarly = 1024;
  static constexpr ByteCount kMaxEarlyBytes = ByteCount(4 * 1024 * 1024);
  std::deque<paceline::MessageArrived> early_;
  ByteCount early_bytes_;
  std::shared_ptr<paceline::Session> session_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // a callback may destroy us
};

}  // namespace qps
