#include "app/command/party_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command/sound_report.h"
#include "base/text.h"

namespace qvid::app {
namespace {

std::vector<std::string> tracks_of(const MemberReport& member) {
  std::vector<std::string> tracks;
  if (member.picture) tracks.emplace_back("picture");
  if (member.shares) tracks.emplace_back("share");
  if (member.voice) tracks.emplace_back("sound");
  return tracks;
}

nlohmann::json json_of_seats(const std::vector<SeatReport>& reports) {
  nlohmann::json seats = nlohmann::json::array();
  for (const SeatReport& s : reports) {
    const media::PlaybackStats& p = s.playback;
    seats.push_back({{"seat", s.seat},
                     {"name", s.name},
                     {"frames_shown", p.frames_shown},
                     {"frames_lost", p.frames_lost},
                     {"frames_full", p.shown_full},
                     {"bytes", p.bytes_received},
                     {"decode_errors", p.decode_errors},
                     {"longest_gap_ms", to_ms(p.longest_gap)},
                     {"freezes", p.freezes},
                     {"interval_deviation_ms", p.intervals.deviation_ms()},
                     {"delay_ms",
                      {{"median", to_ms(p.delays.percentile(0.5))},
                       {"p99", to_ms(p.delays.percentile(0.99))},
                       {"playout", to_ms(p.playout)}}},
                     {"sync", json_of_sync(p.sync_errors)},
                     {"switches", s.switches},
                     {"longest_switch_ms", to_ms(s.longest_switch)}});
  }
  return seats;
}

std::string line_of(const SeatReport& s, const char* what) {
  const media::PlaybackStats& p = s.playback;
  return fmt::format(
      "  {:<12} {} shown, {} lost, {:.0f}% with all layers, longest gap {:.0f} ms, {} switches\n",
      s.name.empty() ? "-" : printable(s.name) + what, p.frames_shown, p.frames_lost,
      p.frames_shown > 0
          ? 100.0 * static_cast<double>(p.shown_full) / static_cast<double>(p.frames_shown)
          : 0.0,
      to_ms(p.longest_gap), s.switches);
}

nlohmann::json json_of_seen(const PartyReport& r) {
  nlohmann::json seen = nlohmann::json::array();
  for (const auto& [name, s] : r.seen) {
    seen.push_back({{"name", name},
                    {"frames_shown", s.shown},
                    {"frames_lost", s.lost},
                    {"frames_full", s.full},
                    {"longest_gap_ms", to_ms(s.longest_gap)}});
  }
  return seen;
}

}  // namespace

nlohmann::json json_of(const PartyReport& r) {
  nlohmann::json names = nlohmann::json::array();
  nlohmann::json publishes = nlohmann::json::object();
  nlohmann::json muted = nlohmann::json::array();
  for (const auto& [name, member] : r.members) {
    names.push_back(name);
    publishes[name] = tracks_of(member);
    if (member.voice && member.voice->muted) muted.push_back(name);
  }
  return {{"joined", r.joined},
          {"status", r.status},
          {"members", std::move(names)},
          {"publishes", std::move(publishes)},
          {"muted", std::move(muted)},
          {"seats", json_of_seats(r.seats)},
          {"shares", json_of_seats(r.shares_seen)},
          {"seen", json_of_seen(r)},
          {"sound", r.sound ? json_of(*r.sound) : nlohmann::json()},
          {"frames_published", r.frames_published},
          {"frames_shared", r.frames_shared},
          {"reconnections", r.reconnections},
          {"rtt_ms", to_ms(r.network.rtt)}};
}

std::string text_of(const PartyReport& r, bool publishes) {
  std::string text = publishes ? fmt::format("published {} frames; ", r.frames_published) : "";
  if (r.frames_shared > 0) text += fmt::format("shared {} frames; ", r.frames_shared);
  text += fmt::format("{} reconnections\n", r.reconnections);
  if (!r.members.empty()) {
    text += fmt::format("  others in the room: {}\n", r.members.size());
    for (const auto& [name, member] : r.members) {
      const auto tracks = tracks_of(member);
      text += fmt::format("    {:<12} publishes {}\n", printable(name),
                          tracks.empty() ? "nothing" : fmt::format("{}", fmt::join(tracks, ", ")));
    }
  }
  for (const SeatReport& s : r.seats) text += line_of(s, "");
  for (const SeatReport& s : r.shares_seen) {
    if (!s.name.empty()) text += line_of(s, ": share");
  }
  if (r.sound) text += text_of(*r.sound);
  return text;
}

}  // namespace qvid::app
