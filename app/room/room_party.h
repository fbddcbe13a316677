// A party of a room: publishes a source, watches others, or both, and connects again when the
// connection is lost.
//
//   RoomSource (camera) -> RoomPublisher -> RoomClient ==== broker ==== RoomClient -> PartySeats
//   RoomSource (share)  -> RoomPublisher ->
//   RoomSound  --------------------------->
//   RoomChat   <-------------------------->
//
// What waiting can mend (no broker, connection lost, a broker that drains) is tried again with
// back-off, at the other nodes of the broker's cluster where it is one; a refusal ends it, and so does a
// broker that has removed it. Where a broker of a cluster hands its clients over, it joins at another
// node before it leaves this one, and is in at both until its seats and tracks have gone over
// (seat_places.h). Thread: the io_context's; `report` any.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/options/exit_codes.h"
#include "app/options/url.h"
#include "app/reception/begin_anew.h"
#include "app/room/criteria_turn.h"
#include "app/room/party_nodes.h"
#include "app/room/party_report.h"
#include "app/room/party_seats.h"
#include "app/room/room_chat.h"
#include "app/room/room_members.h"
#include "app/room/room_sound.h"
#include "app/room/room_source.h"
#include "app/room/seat_places.h"
#include "app/room/shown_heights.h"
#include "base/backoff.h"
#include "media/codec/decoder.h"
#include "media/playout/playout_delay.h"
#include "pubsub/client/room_client.h"
#include "transport/socket/timer.h"

namespace qvid::app {

struct PartyOptions {
  Url url;  // its name is the room
  std::string name;
  std::string token;                           // as the broker wants it; empty: none
  std::optional<media::LiveInOptions> source;  // what it publishes: a camera
  std::optional<media::LiveInOptions> share;   // and what it shows beside it: a screen
  bool share_sound = false;                    // with what other programs play
  media::Preference prefer = media::Preference::kMotion;
  // Whom it watches: by name, or the best by criteria, of which none mean everybody else, who
  // joined first before the others.
  bool watches = true;
  bool records = false;  // the others are told
  std::vector<std::string> names;
  std::string best;
  int seats = 9;
  int window = 3;  // frames, of each of the two ways
  media::PlayoutMode playout = media::PlayoutMode::kEarly;
  media::DecoderMaker decoders = media::decoders_here();
  bool retry = true;
  paceline::SessionConfig session;
  std::shared_ptr<paceline::Trust> trust;
  std::shared_ptr<paceline::Proxy> proxy;  // empty: directly
};

class RoomParty {
 public:
  struct Callbacks {
    // The own source's; on its capture thread.
    std::function<void(const media::VideoFrame&)> own_picture;
    std::function<void(const media::VideoFrame&)> own_share{};  // the same of what is shared
    // How the source is that was set last.
    std::function<void(const media::SourceSpec&, const media::SourceStatus&)> source_status =
        [](const media::SourceSpec&, const media::SourceStatus&) {};
    // Something of the report changed.
    std::function<void()> changed;
    std::function<void(const std::string& text)> notice;  // "Ann joined"
    // Worth calling somebody who looks elsewhere, before `notice` of the same: the first has joined an
    // empty room, somebody raises a hand.
    std::function<void(const std::string& text)> attention = [](const std::string&) {};
    std::function<void(ExitCode, const std::string&)> ended;
  };
  // `seats`, `sound` and `chat` outlive this; without `sound` none is sent, without `chat` nothing is
  // told or said.
  RoomParty(boost::asio::io_context& io, PartyOptions options, PartySeats& seats, RoomSound* sound,
            RoomChat* chat, Callbacks callbacks);
  RoomParty(const RoomParty&) = delete;
  RoomParty& operator=(const RoomParty&) = delete;

  void start();
  void stop();
  // The source, on and off; what it publishes, from now on.
  void set_source(std::optional<media::LiveInOptions> source);
  // What is shared, from now on, with what other programs play or without; and whether the others see
  // what it is, or a picture that stands still, until something else is shared.
  void set_share(std::optional<media::LiveInOptions> share, bool with_sound = false);
  void freeze_share(bool on);
  // What other programs play could be shared.
  bool can_share_sound() const { return sound_ != nullptr && sound_->can_share(); }
  bool shares() const { return share_.active(); }
  bool share_frozen() const { return share_.frozen(); }
  // One's own hand, and, of who may do so, what is done about the room (it fills in which) or a member:
  // what is not done is told by a notice.
  void raise_hand(bool up);
  void administer(qps::Admin admin);
  // Whom it watches from now on, by name.
  void set_names(std::vector<std::string> names);
  // The same by criteria. What the broker refuses is told, and what was before stays.
  void set_best(std::string best);
  // Whose pictures have the seats before others', where it watches everybody; their sound is heard as
  // before. Empty: nobody's.
  void prefer(const std::vector<std::string>& names);
  // How tall it shows the others, from now on: nobody need send more. Until this is called first they
  // send all; who watches nobody shows nobody.
  void show_heights(const ShownHeights& heights);
  PartyReport report() const;

 private:
  void connect();
  std::unique_ptr<qps::RoomClient> new_client();
  bool is_next(int number) const { return next_ && number == made_; }
  bool move();
  void on_let_in(int number);
  void come_in();
  void move_in();
  void on_seat_moved(std::uint32_t viewer);
  void settle_if_over();
  void settle();
  std::optional<SeatPlaces::Of> membership(int number) const;  // empty: it is over
  void on_not_moved(const std::string& reason);
  void leave_room();
  void put_aside(std::unique_ptr<qps::RoomClient> client);
  qps::Join join() const;
  qps::RoomClient::Callbacks client_callbacks(int number);
  void try_again(const std::string& why, Duration wait);
  void on_joined();
  void on_ended(int number, const std::string& reason, bool final);
  void on_left(const std::string& reason, bool final);
  void on_member(const qps::Member& member);
  void on_member_left(const std::string& name);
  void on_members_changed();
  void on_hand(const qps::Hand& hand);
  void on_held(const qps::Held& held);
  void on_locked(bool on);
  void on_seat(const qps::Seat& seat, int number);
  void show(const qps::Seat& seat);
  void on_part(std::uint32_t viewer, int seat, const qps::Part& part, int number);
  void on_wanted(const std::string& track, bool wanted, int number);
  void on_not_watched(const qps::NotWatched& refused);
  void on_source_ended();
  void on_camera_fault(const std::string& why);
  void watch();
  void watch_pictures();
  void watch_sound();
  qps::Watch share_watch() const;
  Duration watch_window() const;
  void end(ExitCode code, const std::string& why);
  void set_status(std::string status);
  void tick();
  void begin_anew(Timestamp now);
  std::vector<RoomPublisher*> publishers(SeatPlaces::Of of = SeatPlaces::Of::kNow) const;
  // Of a track of pictures, to the client of that number; null: none is published now.
  RoomPublisher* publisher_of(const std::string& track, int number) const;
  void on_path_rate(const paceline::PathRate& path, int number);
  DataRate picture_path() const;
  void note_share();

  boost::asio::io_context& io_;
  PartyOptions options_;
  const std::string self_;  // Join::self
  PartyNodes nodes_;
  BeginAnew begin_anew_;
  const Callbacks callbacks_;
  PartySeats& seats_;
  RoomSound* const sound_;
  RoomChat* const chat_;
  paceline::Timer retry_timer_;
  paceline::Timer move_timer_;
  paceline::Timer tick_timer_;
  Backoff backoff_;
  bool ended_ = false;
  std::optional<Timestamp> joined_at_;  // while it is a member
  std::optional<Timestamp> lost_at_;    // when it last ceased to be one
  bool told_of_all_ = false;            // members who were there before are no news
  bool hand_up_ = false;                // as one wants it, also after a lost connection
  CriteriaTurn best_;
  CriteriaTurn preferred_;                 // of pictures, while there are no criteria
  std::optional<qps::Watch> sound_watch_;  // as the broker was told
  std::optional<ShownHeights> shown_heights_;

  RoomMembers members_;
  SeatPlaces places_;
  mutable std::mutex mutex_;  // guards the next
  PartyReport report_;        // without what the others say

  RoomSource source_;  // these end after nobody uses them
  RoomSource share_;
  std::unique_ptr<qps::RoomClient> client_;
  std::unique_ptr<qps::RoomClient> next_;  // at the node to which it moves, until it is in there
  std::unique_ptr<qps::RoomClient>
      former_;                // at the node from which it has moved, for kMoveTime at most
  int made_ = 0;              // clients, ever: while there is a next, that is its number
  bool moves_again_ = false;  // another node is asked, in a moment
  int number_ = 0;
  int former_number_ = 0;
};

}  // namespace qvid::app
