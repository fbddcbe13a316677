#include "app/command/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command/sound_report.h"

namespace qvid::app {
namespace {

// How the content comes.
std::string_view way(const PlayerReport& r) {
  return r.network.udp && r.network.datagrams_received > 0 ? "UDP and TCP" : "TCP";
}

// Of both directions.
std::uint64_t failovers(const PlayerReport& r) {
  return r.network.failovers + r.network.peer_failovers;
}

double share_full(const media::PlaybackStats& p) {
  return p.frames_shown == 0
             ? 0.0
             : static_cast<double>(p.shown_full) / static_cast<double>(p.frames_shown);
}

Duration mean(const std::vector<Duration>& times) {
  Duration sum{};
  for (const Duration time : times) sum += time;
  return times.empty() ? sum : sum / static_cast<std::int64_t>(times.size());
}

// Levels that pictures had: "12% lost, 30% one layer, 58% two".
std::string text_of_levels(const media::StreamingMeasures::Summary& m) {
  std::string text;
  for (std::size_t level = 0; level < m.share.size(); ++level) {
    if (m.share[level] <= 0) continue;
    text += fmt::format("{}{:.1f}% {}", text.empty() ? "" : ", ", 100 * m.share[level],
                        level == 0 ? "lost" : fmt::format("with {}", level));
  }
  return text;
}

// What stored video has in the place of live video's delay.
std::string text_of_stored(const PlayerReport& r) {
  const media::StreamingMeasures::Summary& m = r.stored->now.measures;
  std::string text = fmt::format(
      "  start     first picture after {:.0f} ms, playing after {:.0f} ms\n"
      "  waiting   {} times for data, {:.1f} s in all\n"
      "  quality   {:.2f} layers in the mean, {} switches ({})\n"
      "  reception a frame each {:.1f} ms, deviation {:.1f} ms\n",
      to_ms(m.first_picture.value_or(Duration())), to_ms(m.start_up.value_or(Duration())), m.stalls,
      to_seconds(m.stalled), m.mean_level, m.switches, text_of_levels(m), to_ms(m.reception_mean),
      to_ms(m.reception_deviation));
  if (!m.seek_responses.empty()) {
    text += fmt::format("  seeks     {}, answered after {:.0f} ms in the mean\n",
                        m.seek_responses.size(), to_ms(mean(m.seek_responses)));
  }
  return text;
}

std::string text_of_delay(const PlayerReport& r) {
  const media::PlaybackStats& p = r.playback;
  return fmt::format(
      "  delay     capture to screen {:.0f} ms median, {:.0f} ms 99th percentile\n"
      "            (of the last picture {:.0f} ms beyond the path's; needed {:.0f}, with all layers "
      "{:.0f})\n",
      to_ms(p.delays.percentile(0.5)), to_ms(p.delays.percentile(0.99)), to_ms(p.playout),
      to_ms(p.base_need), to_ms(p.whole_need));
}

nlohmann::json json_of_stored(const StoredReport& stored) {
  const media::StreamingMeasures::Summary& m = stored.now.measures;
  nlohmann::json seeks = nlohmann::json::array();
  for (const Duration response : m.seek_responses) seeks.push_back(to_ms(response));
  const auto ms = [](const std::optional<Duration>& d) {
    return d ? nlohmann::json(to_ms(*d)) : nlohmann::json();
  };
  return {{"duration_ms", to_ms(stored.duration)},
          {"place_ms", to_ms(stored.now.place)},
          {"speed", stored.now.speed},
          {"first_picture_ms", ms(m.first_picture)},
          {"start_up_ms", ms(m.start_up)},
          {"played_ms", to_ms(m.played)},
          {"paused_ms", to_ms(m.paused)},
          {"stalls", m.stalls},
          {"stalled_ms", to_ms(m.stalled)},
          {"frame_rate", m.frame_rate},
          {"mean_layers", m.mean_level},
          {"share_by_layers", m.share},
          {"switches", m.switches},
          {"reception_ms",
           {{"mean", to_ms(m.reception_mean)}, {"deviation", to_ms(m.reception_deviation)}}},
          {"seek_ms", std::move(seeks)}};
}

using Rows = std::vector<std::pair<std::string, std::string>>;

Rows stored_rows(const PlayerReport& r) {
  const media::StoredPlaybackStats& now = r.stored->now;
  const media::StreamingMeasures::Summary& m = now.measures;
  return {{"place", fmt::format("{} of {}, at {:.3g} times the speed", ui::place_text(now.place),
                                ui::place_text(r.stored->duration), now.speed)},
          {"ahead", fmt::format("{:.1f} s", to_seconds(now.buffered))},
          {"quality",
           fmt::format("{} of {} layers, mean {:.2f}, {} switches",
                       now.layers == 0 ? 0 : now.layer + 1, now.layers, m.mean_level, m.switches)},
          {"waited", fmt::format("{} times, {:.1f} s", m.stalls, to_seconds(m.stalled))},
          {"start-up", fmt::format("{:.0f} ms", to_ms(m.start_up.value_or(Duration())))},
          {"seeks", m.seek_responses.empty()
                        ? std::string("none")
                        : fmt::format("{}, last {:.0f} ms", m.seek_responses.size(),
                                      to_ms(m.seek_responses.back()))}};
}

}  // namespace

std::string text_of(const PlayerReport& r, const Url& url) {
  const media::PlaybackStats& p = r.playback;
  if (p.frames_shown == 0) return fmt::format("{}: no picture was shown\n", url.text());
  const double seconds = to_seconds(p.last_shown - p.first_shown);
  return fmt::format(
      "{}: {:.1f} s\n"
      "  frames    {} shown ({:.1f} a second), {} lost, {:.1f}% with all layers\n"
      "  smooth    longest gap {:.0f} ms, {} freezes over {:.0f} ms, intervals vary by {:.1f} ms\n"
      "{}"
      "  data      {:.0f} kbit/s, {:.2f} units a frame, {:.2f}% of them cancelled or late\n"
      "{}"
      "  network   round trip {:.1f} ms, {}, {}; {} failovers, {} resumptions, {} reconnections\n"
      "  errors    {} decoding, {} malformed messages\n",
      url.text(), seconds, p.frames_shown, p.mean_fps(), p.frames_lost, 100 * share_full(p),
      to_ms(p.longest_gap), p.freezes, to_ms(media::PlaybackStats::kFreeze),
      p.intervals.deviation_ms(), r.stored ? text_of_stored(r) : text_of_delay(r),
      DataRate::of(ByteCount(p.bytes_received), p.receiving).kbps(), p.units_per_frame(),
      100 * p.missing_share(),
      r.sound ? "  sound     " + text_of(r.sound->playout, r.sound->sync_error) + "\n" : "",
      to_ms(r.network.rtt), r.security.empty() ? "not connected" : r.security, way(r), failovers(r),
      r.network.resumptions, r.reconnections, p.decode_errors, p.bad_messages);
}

nlohmann::json json_of(const PlayerReport& r, const Url& url) {
  const media::PlaybackStats& p = r.playback;
  return {{"url", url.text()},
          {"stored", r.stored ? json_of_stored(*r.stored) : nlohmann::json()},
          {"sync", json_of_sync(p.sync_errors)},
          {"sound", r.sound ? json_of(r.sound->playout, r.sound->sync_error) : nlohmann::json()},
          {"seconds", to_seconds(p.last_shown - p.first_shown)},
          {"frames_shown", p.frames_shown},
          {"frames_lost", p.frames_lost},
          {"frames_full", p.shown_full},
          {"fps", p.mean_fps()},
          {"longest_gap_ms", to_ms(p.longest_gap)},
          {"freezes", p.freezes},
          {"interval_deviation_ms", p.intervals.deviation_ms()},
          {"delay_ms",
           {{"median", to_ms(p.delays.percentile(0.5))},
            {"p99", to_ms(p.delays.percentile(0.99))},
            {"playout", to_ms(p.playout)},
            {"base_need", to_ms(p.base_need)},
            {"whole_need", to_ms(p.whole_need)}}},
          {"window_frames", r.window},
          {"bytes", p.bytes_received},
          {"units_announced", p.units_announced},
          {"units_received", p.units_received},
          {"missing_share", p.missing_share()},
          {"rtt_ms", to_ms(r.network.rtt)},
          {"security", r.security},
          {"udp", r.network.udp},
          {"messages_by_udp", r.network.datagrams_received},
          {"failovers", failovers(r)},
          {"resumptions", r.network.resumptions},
          {"duplicates", r.network.duplicates},
          {"reconnections", r.reconnections},
          {"decode_errors", p.decode_errors},
          {"bad_messages", p.bad_messages},
          {"limited", r.limited},
          {"clock_drift_ppm", p.drift_ppm},
          {"clock_steps", p.clock_steps},
          {"status", r.status}};
}

std::vector<std::pair<std::string, std::string>> overlay_rows(const PlayerReport& r) {
  const media::PlaybackStats& p = r.playback;
  Rows rows = r.stored ? stored_rows(r)
                       : Rows{{"delay", fmt::format("{:.0f} ms, intervals vary by {:.0f}",
                                                    to_ms(p.delay), p.intervals.deviation_ms())},
                              {"playout", fmt::format("{:.0f} ms; needed {:.0f}, all layers {:.0f}",
                                                      to_ms(p.playout), to_ms(p.base_need),
                                                      to_ms(p.whole_need))}};
  const Rows common{{"frames", fmt::format("{:.1f} /s, {} lost", p.recent_fps, p.frames_lost)},
                    {"units", fmt::format("{:.2f} a frame, {:.0f}% whole", p.units_per_frame(),
                                          100 * share_full(p))},
                    {"bitrate", fmt::format("{:.0f} kbit/s", p.recent_kbps)},
                    {"cancelled", fmt::format("{:.2f}% of units", 100 * p.missing_share())},
                    {"round trip", fmt::format("{:.1f} ms", to_ms(r.network.rtt))},
                    {"connection", fmt::format("{}, {} sockets, {} failovers", way(r),
                                               r.network.channels, failovers(r))}};
  rows.insert(rows.end(), common.begin(), common.end());
  if (r.sound) {
    const Rows sound = sound_rows(r.sound->playout, r.sound->sync_error);
    rows.insert(rows.end(), sound.begin(), sound.end());
  }
  if (!r.limited.empty()) rows.emplace_back("source", r.limited);
  return rows;
}

std::string dump(const nlohmann::json& value) {
  return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string text_of(const ServerStats& s) {
  return fmt::format(
      "served {} connections ({} refused)\n"
      "  encoder   {} frames of {:.1f} ms, {} dropped, {} skipped, {} held for the path\n"
      "  viewers   {} frames, {} units delivered, {} cancelled, {} not sent for that, "
      "{} frames out late\n"
      "  sound     {} packets delivered, {} late\n",
      s.connections, s.refused, s.sources.frames_encoded, s.sources.encode_ms,
      s.sources.frames_dropped, s.sources.frames_skipped, s.sources.frames_held, s.viewers.frames,
      s.viewers.units_sent, s.viewers.units_cancelled, s.viewers.units_not_sent,
      s.viewers.late_outputs, s.viewers.sound_sent, s.viewers.sound_late);
}

nlohmann::json json_of(const ServerStats& s) {
  return {{"connections", s.connections},
          {"refused", s.refused},
          {"measured", s.measuring.begun},
          {"measured_bytes", s.measuring.bytes.value()},
          {"encoder",
           {{"frames", s.sources.frames_encoded},
            {"ms_per_frame", s.sources.encode_ms},
            {"dropped", s.sources.frames_dropped},
            {"skipped", s.sources.frames_skipped},
            {"held", s.sources.frames_held},
            {"bytes", s.sources.bytes_encoded}}},
          {"viewers",
           {{"frames", s.viewers.frames},
            {"units_delivered", s.viewers.units_sent},
            {"units_cancelled", s.viewers.units_cancelled},
            {"units_not_sent", s.viewers.units_not_sent},
            {"late_outputs", s.viewers.late_outputs},
            {"sound_delivered", s.viewers.sound_sent},
            {"sound_late", s.viewers.sound_late}}}};
}

}  // namespace qvid::app
