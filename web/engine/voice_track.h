// The guest's own voice, as the track `sound` of a room (app/room/room_sound.h): the browser cancels
// echo and encodes.
//
// Thread: the worker's.
#pragma once

#include <cstdint>
#include <span>

#include "media/sound/voice_meter.h"
#include "pubsub/client/room_client.h"

namespace qvid::web {

class VoiceTrack {
 public:
  // As app/room/room_sound.h has it: no listener waits longer.
  static constexpr Duration kPatience = std::chrono::milliseconds(1500);

  // `client` stays until left().
  void joined(qps::RoomClient& client);
  void left();
  // There is a microphone, or no more.
  void turn_on(bool on);
  void mute(bool on);
  bool on() const { return on_; }
  bool muted() const { return muted_; }
  // Somebody speaks, and nobody hears it.
  bool speaks_muted() const { return speaks_muted_; }

  // Samples of one channel at 48 kHz. Whether they are to be encoded.
  bool on_samples(std::span<const float> mono, Timestamp now);
  // A packet of Opus, whose first frame was captured then.
  void on_encoded(std::span<const std::byte> opus, Timestamp captured);
  void on_wanted(bool wanted) { wanted_ = wanted; }
  std::int64_t packets() const { return packets_; }

 private:
  void publish();
  void tell(const media::VoiceState& voice, Timestamp now);

  qps::RoomClient* client_ = nullptr;
  bool on_ = false;
  bool muted_ = false;
  bool speaks_muted_ = false;
  bool wanted_ = false;
  bool silent_ = true;  // the last packet said that silence follows
  std::int64_t next_item_ = 0;
  std::int64_t packets_ = 0;
  media::VoiceMeter meter_;
  media::VoiceState told_;
  Timestamp told_at_{};
};

}  // namespace qvid::web
