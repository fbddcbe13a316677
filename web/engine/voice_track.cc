#include "web/engine/voice_track.h"

#include <cmath>
#include <utility>

#include "app/protocol/sound_about.h"
#include "app/room/room_tracks.h"
#include "media/sound/sound_packet.h"
#include "web/engine/browser.h"

namespace qvid::web {
namespace {

// A member's attributes go to everybody.
constexpr Duration kTellLoudness = std::chrono::seconds(1);
constexpr double kLoudnessChange = 6;  // dB

}  // namespace

void VoiceTrack::joined(qps::RoomClient& client) {
  client_ = &client;
  next_item_ = 0;
  told_ = {};
  if (on_) publish();
}

void VoiceTrack::left() {
  client_ = nullptr;
  wanted_ = false;
}

void VoiceTrack::publish() {
  client_->publish(app::serialise(app::SoundAbout{}), app::kSoundTrack);
  client_->set_attributes({{"muted", muted_}});
}

void VoiceTrack::turn_on(bool on) {
  if (std::exchange(on_, on) == on || client_ == nullptr) return;
  if (on) return publish();
  client_->unpublish(app::kSoundTrack);
  wanted_ = false;
}

void VoiceTrack::mute(bool on) {
  muted_ = on;
  if (client_ != nullptr && on_) client_->set_attributes({{"muted", on}});
}

bool VoiceTrack::on_samples(std::span<const float> mono, Timestamp now) {
  const media::VoiceState voice = meter_.on_samples(mono);
  speaks_muted_ = on_ && muted_ && voice.speaking;
  if (client_ == nullptr || !on_) return false;
  tell(muted_ ? media::VoiceState{} : voice, now);
  // Muted: one more, which says that silence follows.
  return wanted_ && !(muted_ && silent_);
}

void VoiceTrack::tell(const media::VoiceState& voice, Timestamp now) {
  const bool louder = std::abs(voice.loudness - told_.loudness) > kLoudnessChange;
  if (voice.speaking == told_.speaking && !(louder && now - told_at_ > kTellLoudness)) return;
  told_ = voice;
  told_at_ = now;
  client_->set_attributes({{"speaking", voice.speaking}, {"loudness", std::round(voice.loudness)}});
}

void VoiceTrack::on_encoded(std::span<const std::byte> opus, Timestamp captured) {
  if (client_ == nullptr || !on_ || !wanted_ || (muted_ && silent_)) return;
  const auto duration = media::opus_duration(opus);
  if (!duration) return;
  const media::SoundPacket packet{
      .captured = captured, .duration = *duration, .last = muted_, .opus = Payload::copy_of(opus)};
  silent_ = muted_;
  const qps::Envelope envelope{.begins = true,
                               .importance = media::kSoundImportance,
                               .due = packet.captured + packet.duration};
  const bool taken =
      client_->send({.item = next_item_, .part = 0}, envelope, media::serialise(packet),
                    packet.captured + packet.duration + kPatience, app::kSoundTrack);
  if (!taken) return;
  ++next_item_;
  ++packets_;
}

}  // namespace qvid::web
