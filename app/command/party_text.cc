#include "app/command/party_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command/sound_report.h"
#include "base/text.h"

namespace qvid::app {
namespace {

std::string published_by(const MemberReport& member) {
  if (member.picture) return member.voice ? "picture and sound" : "picture";
  return member.voice ? "sound" : "nothing";
}

nlohmann::json json_of_seats(const PartyReport& r) {
  nlohmann::json seats = nlohmann::json::array();
  for (const SeatReport& s : r.seats) {
    const media::PlaybackStats& p = s.playback;
    seats.push_back({{"seat", s.seat},
                     {"name", s.name},
                     {"frames_shown", p.frames_shown},
                     {"frames_lost", p.frames_lost},
                     {"frames_full", p.shown_full},
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
    auto& tracks = publishes[name] = nlohmann::json::array();
    if (member.picture) tracks.push_back("picture");
    if (member.voice) tracks.push_back("sound");
    if (member.voice && member.voice->muted) muted.push_back(name);
  }
  return {{"joined", r.joined},
          {"status", r.status},
          {"members", std::move(names)},
          {"publishes", std::move(publishes)},
          {"muted", std::move(muted)},
          {"seats", json_of_seats(r)},
          {"seen", json_of_seen(r)},
          {"sound", r.sound ? json_of(*r.sound) : nlohmann::json()},
          {"frames_published", r.frames_published},
          {"reconnections", r.reconnections},
          {"rtt_ms", to_ms(r.network.rtt)}};
}

std::string text_of(const PartyReport& r, bool publishes) {
  std::string text = publishes ? fmt::format("published {} frames; ", r.frames_published) : "";
  text += fmt::format("{} reconnections\n", r.reconnections);
  if (!r.members.empty()) {
    text += fmt::format("  others in the room: {}\n", r.members.size());
    for (const auto& [name, member] : r.members) {
      text += fmt::format("    {:<12} publishes {}\n", printable(name), published_by(member));
    }
  }
  for (const SeatReport& s : r.seats) {
    const media::PlaybackStats& p = s.playback;
    text += fmt::format(
        "  {:<12} {} shown, {} lost, {:.0f}% with all layers, longest gap {:.0f} ms, {} switches\n",
        s.name.empty() ? "-" : printable(s.name), p.frames_shown, p.frames_lost,
        p.frames_shown > 0
            ? 100.0 * static_cast<double>(p.shown_full) / static_cast<double>(p.frames_shown)
            : 0.0,
        to_ms(p.longest_gap), s.switches);
  }
  if (r.sound) text += text_of(*r.sound);
  return text;
}

}  // namespace qvid::app
