#include "app/room/room_members.h"

#include <algorithm>

#include "app/room/party_seats.h"
#include "pubsub/wire/json_fields.h"

namespace qvid::app {
namespace {

// Whatever a peer has told: what is no such thing is as if it were not there.
MemberVoice voice_of(const nlohmann::json& attributes) {
  MemberVoice voice;
  voice.state.speaking = qps::flag_field(attributes, "speaking").value_or(false);
  if (const auto loudness = attributes.find("loudness");
      loudness != attributes.end() && loudness->is_number()) {
    voice.state.loudness = std::clamp(loudness->get<double>(), -127.0, 0.0);
  }
  voice.muted = qps::flag_field(attributes, "muted").value_or(false);
  return voice;
}

}  // namespace

bool RoomMembers::note(const qps::Member& member) {
  MemberReport report;
  for (const std::string& track : member.tracks) {
    if (track.empty()) report.picture = true;
    if (track == kSoundTrack) report.voice = voice_of(member.attributes);
  }
  const std::lock_guard lock(mutex_);
  return members_.insert_or_assign(member.name, report).second;
}

}  // namespace qvid::app
