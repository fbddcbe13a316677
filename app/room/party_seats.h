// Where the seats of a party's viewers lead: what they show is played (played_seats.h), or is taken
// coded (app/command/recorded_seats.h).
//
// A party has a viewer of pictures, one of what is shared, and, where it wants sound, one of sound. Thread: the
// io_context's; `add_to`: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/room/party_report.h"
#include "app/room/room_tracks.h"
#include "base/payload.h"
#include "pubsub/wire/control.h"

namespace qvid::app {

class PartySeats {
 public:
  virtual ~PartySeats() = default;

  // The codecs that its pictures may be of.
  virtual std::vector<std::string> decodes() const = 0;

  // It has joined: no seat shows anybody; the broker tells of those that do.
  virtual void joined() = 0;
  virtual void left() {}
  // That seat, of kPictureViewer or kShareViewer, shows somebody else from now on, or, where the name
  // is empty, nobody.
  virtual void show(const qps::Seat& seat) = 0;
  // Messages of media/unit/unit_wire.h.
  virtual void on_picture(std::uint32_t viewer, int seat, std::uint64_t position,
                          const Payload& message, Timestamp now) = 0;

  // What to ask for as sound beside those pictures; empty: nothing. Viewer and track are filled in.
  virtual std::optional<qps::Watch> sound_watch(const qps::Watch& pictures) const = 0;
  virtual void hear(const qps::Seat& seat) = 0;
  // Messages of media/sound/sound_packet.h.
  virtual void on_sound(int seat, std::uint64_t position, const Payload& message,
                        Timestamp now) = 0;

  // Now and then. Sound may be that much late (late_sound.h). True: sound_watch() is another.
  virtual bool tick(Duration late, Timestamp now) = 0;
  // Frames that could not be decoded, of those it shows now.
  virtual std::int64_t decode_errors() const { return 0; }
  // The longest that a picture is held before it is shown, of those that it shows now.
  virtual Duration held() const { return Duration(); }
  virtual void add_to(PartyReport&) const {}
};

}  // namespace qvid::app
