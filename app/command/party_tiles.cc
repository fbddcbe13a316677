#include "app/command/party_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "app/command/party_people.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

ui::TileModel tile_of(const PartyReport& report, const std::string& name, std::string key,
                      const TilesWanted& wanted) {
  const auto member = report.members.find(name);
  const auto voice =
      member == report.members.end() ? std::optional<MemberVoice>() : member->second.voice;
  const auto changed = report.volumes.find(name);
  const Volume volume = changed == report.volumes.end() ? Volume() : changed->second;
  return {.key = std::move(key),
          .name = name,
          .speaking = voice && voice->state.speaking && !voice->muted && !member->second.held,
          .loudness = (voice ? voice->state : media::VoiceState{}).loudness,
          .pinned = wanted.pinned == Pinned{.name = name},
          .muted = report.sound && (!voice || voice->muted || member->second.held),
          .volume = volume.level,
          .silenced = volume.silenced,
          .link = wanted.links != nullptr ? wanted.links->of(name) : ui::Link()};
}

// Of what somebody shares: nothing of the voice is told there.
void add_shares(const PartyReport& report, const TilesWanted& wanted,
                std::vector<ui::TileModel>& tiles) {
  for (const SeatReport& seat : report.shares_seen) {
    if (seat.name.empty()) continue;
    const bool waits = seat.playback.frames_shown == 0;
    tiles.push_back({.key = share_tile(seat.seat),
                     .name = seat.name,
                     .status = waits ? ui::tr("waiting for the first picture") : "",
                     .pinned = wanted.pinned == Pinned{.name = seat.name, .share = true},
                     .share = true});
  }
}

std::string status_without_seat(const MemberReport& member) {
  return member.picture ? ui::tr("not among the pictures") : ui::tr("no camera");
}

ui::TileModel own_tile(const PartyReport& report, const TilesWanted& wanted) {
  const media::VoiceState voice = report.sound ? report.sound->engine.voice : media::VoiceState{};
  const bool sees = wanted.own_picture && report.camera_fault.empty();
  return {.key = kOwnTile,
          .name = wanted.own_name,
          .status = wanted.own_picture ? report.camera_fault : ui::tr("camera off"),
          .video = sees,
          .speaking = voice.speaking && !wanted.own_muted,
          .loudness = voice.loudness,
          .muted = wanted.own_muted,
          .own = true,
          .link = wanted.links != nullptr ? own_link(report) : ui::Link()};
}

// Who has no seat.
void add_others(const PartyReport& report, const TilesWanted& wanted,
                const std::set<std::string>& seated, std::vector<ui::TileModel>& tiles) {
  for (const auto& [name, member] : report.members) {
    // Who only watches or records takes no place from those who take part.
    if (seated.contains(name) || !member.takes_part()) continue;
    tiles.push_back(tile_of(report, name, member_tile(name), wanted));
    tiles.back().status = status_without_seat(member);
    tiles.back().video = false;
  }
}

}  // namespace

std::string member_tile(const std::string& name) { return "member " + name; }
std::string seat_tile(int seat) { return fmt::format("seat {}", seat); }
std::string share_tile(int seat) { return fmt::format("share {}", seat); }

std::vector<ui::TileModel> party_tiles(const PartyReport& report, const TilesWanted& wanted) {
  std::vector<ui::TileModel> tiles;
  std::set<std::string> seated{wanted.own_name};
  add_shares(report, wanted, tiles);
  for (const SeatReport& seat : report.seats) {
    if (seat.name.empty()) continue;
    seated.insert(seat.name);
    tiles.push_back(tile_of(report, seat.name,
                            wanted.everybody ? member_tile(seat.name) : seat_tile(seat.seat),
                            wanted));
    if (seat.playback.frames_shown == 0)
      tiles.back().status = ui::tr("waiting for the first picture");
  }
  tiles.push_back(own_tile(report, wanted));
  if (wanted.own_share) {
    tiles.push_back({.key = kOwnShareTile,
                     .name = wanted.own_name,
                     .own = true,
                     .share_sound = report.sound && report.sound->shared,
                     .share = true});
  }
  if (wanted.everybody) add_others(report, wanted, seated, tiles);
  const auto hands = hands_of(report, wanted.own_name);
  for (ui::TileModel& tile : tiles) {
    if (tile.share) continue;
    if (const auto hand = hands.find(tile.name); hand != hands.end()) tile.hand = hand->second;
  }
  return tiles;
}

std::vector<std::string> wanted_pictures(const PartyReport& report,
                                         const std::vector<ui::TileModel>& tiles,
                                         const std::vector<std::string>& shown, std::size_t seats) {
  const auto has_picture = [](const auto& member) { return member.second.picture; };
  const auto pictures =
      static_cast<std::size_t>(std::ranges::count_if(report.members, has_picture));
  if (pictures <= seats) return {};
  std::vector<std::string> names;
  const auto add = [&](const ui::TileModel& tile) {
    const auto member = report.members.find(tile.name);
    if (tile.own || tile.share || member == report.members.end() || !member->second.picture) return;
    if (names.size() < seats && std::ranges::find(names, tile.name) == names.end()) {
      names.push_back(tile.name);
    }
  };
  for (const ui::TileModel& tile : tiles) {
    if (tile.pinned) add(tile);
  }
  for (const std::string& key : shown) {
    const auto tile = std::ranges::find(tiles, key, &ui::TileModel::key);
    if (tile != tiles.end()) add(*tile);
  }
  return names;
}

}  // namespace qvid::app
