// A guest of a room, in a page: joins, watches everybody, and comes back when the connection is lost.
//
//   PictureTrack (camera, share), VoiceTrack --> RoomClient ==== WebSockets ==== broker
//               PictureSeats, SoundSeats <--'    |
//                                              events of the page, as JSON
//
// What waiting can mend is tried again with back-off, as app/room/room_party.h does; a refusal ends it.
// Thread: the worker's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/reception/begin_anew.h"
#include "app/reception/presentation_clocks.h"
#include "base/backoff.h"
#include "pubsub/client/room_client.h"
#include "transport/socket/timer.h"
#include "web/engine/picture_seats.h"
#include "web/engine/picture_track.h"
#include "web/engine/sound_seats.h"
#include "web/engine/visit.h"
#include "web/engine/voice_track.h"

namespace qvid::web {

struct GuestOptions {
  std::string room;
  std::string name;
  std::string token;  // empty: none
  paceline::Address server;
};

class Guest final : public Visit {
 public:
  Guest(boost::asio::io_context& io, GuestOptions options);
  ~Guest() override;
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  void turn(Timestamp now) override;
  void on_stood(Timestamp now) override {
    pictures_.on_stood(now);
    shares_.on_stood(now);
  }
  void on_decoded(int ticket, std::optional<int> picture, media::PictureSize size,
                  Timestamp now) override;
  void on_sound_decoded(int ticket, std::span<const float> stereo, Timestamp now) override {
    sound_.on_decoded(ticket, stereo, now);
  }
  std::span<const float> sound_turn(Timestamp heard) override { return sound_.turn(heard); }
  PictureTrack& own(bool share) { return share ? share_ : camera_; }
  VoiceTrack& voice() { return voice_; }
  // As app/room/chat_input.h has it.
  void say(const std::string& line);
  void raise_hand(bool up);
  // How loud that one is here: as SoundMixer::add has it.
  void set_volume(const std::string& name, float volume) { sound_.set_volume(name, volume); }
  // For who may, of this room: "hold" that one's sound or let it through, "kick" that one, "lock" the
  // room or open it. `name`: as the page was told.
  void administer(const std::string& what, const std::string& name, bool on);
  void leave() override;

 private:
  void connect();
  qps::Join join() const;
  qps::RoomClient::Callbacks callbacks();
  void on_joined();
  void on_path_rate(const paceline::PathRate& path);
  void on_member(const qps::Member& member);
  void on_seat(const qps::Seat& seat);
  void on_part(std::uint32_t viewer, int seat, const qps::Part& part);
  void on_ended(const std::string& reason, bool final);
  // Nobody is seen and heard; the page is told.
  void clear_seats();
  void watch();
  void tick();
  void begin_anew(Timestamp now);
  void tell_members();
  void tell_report(Timestamp now);
  PictureSeats* seats_of(std::uint32_t viewer);
  PictureTrack* own_of(const std::string& track);

  boost::asio::io_context& io_;
  const GuestOptions options_;
  const std::string self_;  // Join::self
  paceline::Timer retry_timer_;
  paceline::Timer tick_timer_;
  Backoff backoff_;
  app::BeginAnew begin_anew_;
  app::PresentationClocks clocks_;
  PictureSeats pictures_;
  PictureSeats shares_;
  SoundSeats sound_;
  PictureTrack camera_{kOfCamera};
  PictureTrack share_{kOfShare};
  VoiceTrack voice_;
  std::map<std::string, qps::Member> members_;
  bool members_changed_ = false;
  bool listed_ = false;  // who was there before has been told
  Timestamp members_told_{};
  std::optional<Timestamp> joined_at_;  // while it is a member
  std::optional<Timestamp> lost_at_;
  bool hand_up_ = false;  // as one wants it, also after a lost connection
  std::unique_ptr<qps::RoomClient> client_;
};

}  // namespace qvid::web
