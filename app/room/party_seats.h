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
#include "base/payload.h"
#include "pubsub/wire/control.h"

namespace qvid::app {

inline constexpr std::uint32_t kPictureViewer = 1;
inline constexpr std::uint32_t kSoundViewer = 2;
inline constexpr std::uint32_t kShareViewer = 3;
inline constexpr const char* kPictureTrack = "";
inline constexpr const char* kSoundTrack = "sound";
inline constexpr const char* kShareTrack = "share";
// Of those who share at the same time, as many are shown.
inline constexpr int kShareSeats = 2;

// "Ann", "Ann (share)": whose pictures, in logs and names of files.
inline std::string track_text(const std::string& name, bool share) {
  return share ? name + " (share)" : name;
}

// What it decodes, as an attribute of a member: a list of names of media/codec/codec.h.
inline constexpr const char* kDecodesAttribute = "decodes";

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
