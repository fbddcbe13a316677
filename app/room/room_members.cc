#include "app/room/room_members.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/protocol/play_fields.h"
#include "app/room/party_seats.h"
#include "media/codec/codec.h"
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

// Who does not say it is from before there was a choice.
std::vector<std::string> decodes_of(const nlohmann::json& attributes) {
  const auto decodes = attributes.find(kDecodesAttribute);
  std::optional<std::vector<std::string>> names;
  if (decodes != attributes.end()) names = kCodecNames.read(*decodes);
  return names.value_or(std::vector{std::string(media::kPlainCodec)});
}

}  // namespace

bool RoomMembers::all_decode(std::string_view codec) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(members_, [&](const auto& member) {
    return std::ranges::find(member.second.decodes, codec) != member.second.decodes.end();
  });
}

std::optional<int> RoomMembers::lines_of(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  int most = 0;
  for (const auto& [other, member] : members_) {
    if (!member.heights) return std::nullopt;
    most = std::max(most, member.heights->of(name));
  }
  return most;
}

RoomMembers::News RoomMembers::note(const qps::Member& member) {
  MemberReport report;
  report.decodes = decodes_of(member.attributes);
  report.heights = ShownHeights::read(member.attributes);
  report.records = qps::flag_field(member.attributes, qps::kRecording).value_or(false);
  for (const std::string& track : member.tracks) {
    if (track == kPictureTrack) report.picture = true;
    if (track == kShareTrack) report.shares = true;
    if (track == kSoundTrack) report.voice = voice_of(member.attributes);
  }
  report.hand = member.hand;
  report.held = std::ranges::find(member.held, kSoundTrack) != member.held.end();
  const std::lock_guard lock(mutex_);
  not_told_.erase(member.name);
  const auto [it, came] = members_.try_emplace(member.name);
  const News news{.came = came,
                  .hand = report.hand != 0 && it->second.hand == 0,
                  .shares = report.shares && !it->second.shares};
  it->second = std::move(report);
  return news;
}

}  // namespace qvid::app
