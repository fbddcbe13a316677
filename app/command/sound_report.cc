#include "app/command/sound_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace qvid::app {
namespace {

double ms_of(std::int64_t frames) { return to_ms(media::sound_time(frames)); }

// "picture 12 ms late"
std::string text_of_sync(Duration error) {
  const bool late = error >= Duration::zero();
  return fmt::format("picture {:.0f} ms {}", to_ms(late ? error : -error), late ? "late" : "early");
}

std::string own_state(const SoundReport& sound) {
  if (!sound.microphone) return "no microphone";
  if (sound.muted) return "muted";
  return fmt::format("{:.0f} dB{}, {:.0f} kbit/s", sound.engine.voice.loudness,
                     sound.engine.voice.speaking ? ", speaking" : "", sound.rate.kbps());
}

}  // namespace

nlohmann::json json_of(const media::SoundPlayoutStats& p, std::optional<Duration> sync_error) {
  return {{"packets", p.packets},
          {"late", p.late},
          {"lost", p.lost},
          {"malformed", p.malformed},
          {"underruns", p.underruns},
          {"concealed_ms", ms_of(p.concealed)},
          {"stretched_ms", ms_of(p.stretched)},
          {"shrunk_ms", ms_of(p.shrunk)},
          {"longest_gap_ms", to_ms(p.longest_gap)},
          {"delay_ms", to_ms(p.delay)},
          {"target_ms", to_ms(p.target)},
          {"jitter_ms", to_ms(p.jitter)},
          {"sync_error_ms", sync_error ? nlohmann::json(to_ms(*sync_error)) : nlohmann::json()}};
}

nlohmann::json json_of_sync(const DurationHistogram& errors) {
  return {{"pictures", errors.count()},
          {"p95_ms", to_ms(errors.percentile(0.95))},
          {"worst_ms", to_ms(errors.most())}};
}

std::string text_of(const media::SoundPlayoutStats& p, std::optional<Duration> sync_error) {
  return fmt::format(
      "{} packets, {} late, {} lost; {} underruns, longest gap {:.0f} ms; delay {:.0f} ms{}",
      p.packets, p.late, p.lost, p.underruns, to_ms(p.longest_gap), to_ms(p.delay),
      sync_error ? ", " + text_of_sync(*sync_error) : "");
}

std::vector<std::pair<std::string, std::string>> sound_rows(const media::SoundPlayoutStats& p,
                                                            std::optional<Duration> sync_error) {
  return {{"sound", fmt::format("{:.0f} ms ({:.0f} for jitter), {} underruns", to_ms(p.delay),
                                to_ms(p.jitter), p.underruns)},
          {"lips", sync_error ? text_of_sync(*sync_error) : "-"}};
}

nlohmann::json json_of(const SoundReport& sound) {
  nlohmann::json heard = nlohmann::json::array();
  for (const HeardReport& h : sound.heard) {
    nlohmann::json one = json_of(h.playout, h.sync_error);
    one["seat"] = h.seat ? nlohmann::json(*h.seat) : nlohmann::json();
    one["name"] = h.name;
    heard.push_back(std::move(one));
  }
  return {{"heard", std::move(heard)},
          {"publishes", sound.publishes},
          {"microphone", sound.microphone},
          {"muted", sound.muted},
          {"shared", sound.shared},
          {"speaking", sound.engine.voice.speaking},
          {"loudness_dbov", sound.engine.voice.loudness},
          {"peak", sound.engine.peak},
          {"rate_bps", sound.rate.bps()},
          {"packet_ms", to_ms(sound.packet)},
          {"packets_sent", sound.packets_sent},
          {"packets_dropped", sound.packets_dropped},
          {"packets_late", sound.packets_late}};
}

std::string text_of(const SoundReport& sound) {
  std::string text;
  if (sound.publishes) {
    text += fmt::format("  own sound: {} packets sent, {} late\n", sound.packets_sent,
                        sound.packets_late + sound.packets_dropped);
  }
  for (const HeardReport& h : sound.heard) {
    text += fmt::format("  sound of {}: {}\n", printable(h.name), text_of(h.playout, h.sync_error));
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> sound_rows(const SoundReport& sound) {
  std::vector<std::pair<std::string, std::string>> rows{{"microphone", own_state(sound)}};
  for (const HeardReport& h : sound.heard) {
    if (!h.seat) continue;
    rows.emplace_back(printable(h.name),
                      fmt::format("{:.0f} ms{}", to_ms(h.playout.delay),
                                  h.sync_error ? ", " + text_of_sync(*h.sync_error) : ""));
  }
  return rows;
}

}  // namespace qvid::app
