#include "app/mon/mon_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/text.h"

namespace qvid::app {
namespace {

using paceline::Signal;
using paceline::SignalSample;

constexpr Duration kMinute = std::chrono::seconds(60);
constexpr Duration kRateOver = std::chrono::seconds(1);
constexpr std::size_t kLabelWidth = 18;
constexpr std::size_t kValueWidth = 12;
constexpr std::size_t kShownQueues = 4;
// The log is flushed each second.
constexpr Duration kSilent = std::chrono::seconds(3);

struct Row {
  std::string_view heading;  // above it; empty: none
  std::string_view label;
  Signal signal;
  Measure measure;
};
constexpr std::array<Row, 15> kRows = {{
    {"path", "round trip", Signal::kRtt, Measure::kMilliseconds},
    {"", "lowest round trip", Signal::kRttLow, Measure::kMilliseconds},
    {"", "base round trip", Signal::kBaseRtt, Measure::kMilliseconds},
    {"", "bandwidth", Signal::kBandwidth, Measure::kBitRate},
    {"", "pressure", Signal::kPressure, Measure::kNumber},
    {"sending", "sent", Signal::kSent, Measure::kByteRate},
    {"", "acknowledged", Signal::kAcked, Measure::kByteRate},
    {"", "window", Signal::kWindow, Measure::kBytes},
    {"", "unacknowledged", Signal::kUnacked, Measure::kBytes},
    {"", "oldest of these", Signal::kOldestUnacked, Measure::kMilliseconds},
    {"", "queued", Signal::kQueued, Measure::kBytes},
    {"", "delivered", Signal::kDelivered, Measure::kCountRate},
    {"", "cancelled", Signal::kCancelled, Measure::kCountRate},
    {"receiving", "received", Signal::kReceived, Measure::kByteRate},
    {"", "played after", Signal::kHeld, Measure::kMilliseconds},
}};

std::string scaled(double value, std::string_view unit) {
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < std::size(kPrefixes)) {
    value /= 1000;
    ++prefix;
  }
  const double size = std::abs(value);
  const int digits = prefix == 0 ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", value, digits, kPrefixes[prefix], unit);
}

// What a counter grew by, a second; over nothing, nothing. A counter that went back starts again.
double rate(double before, double after, Duration time) {
  return time <= Duration::zero() ? 0 : std::max(0.0, after - before) / to_seconds(time);
}

std::string time_text(Duration time) {
  const auto seconds = static_cast<std::int64_t>(to_seconds(time));
  if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string counted(double n, std::string_view one, std::string_view many) {
  return fmt::format("{:.0f} {}", n, n == 1 ? one : many);
}

std::string session_text(const SignalSample& s, const MonView& view) {
  std::string text = fmt::format("session {}", s.session);
  if (view.sessions.size() > 1) text += fmt::format(" of {}", view.sessions.size());
  if (!s.peer.empty()) text += " with " + s.peer;
  return text;
}

// Behind the number of sockets.
std::string sockets_text(const SignalSample& s) {
  std::string text = ", " + counted(s[Signal::kFailovers], "failover", "failovers");
  text += fmt::format(" ({:.0f} of the peer's)", s[Signal::kPeerFailovers]);
  text += ", " + counted(s[Signal::kResumptions], "resumption", "resumptions");
  if (s[Signal::kSmallSegments] != 0) text += ", small segments";
  if (s[Signal::kCompeting] != 0) text += ", competing with loss-based flows";
  return text;
}

std::string queues_text(const SignalSample& s) {
  if (s.queues.empty()) return "nothing waits";
  std::string text;
  for (std::size_t i = 0; i < std::min(s.queues.size(), kShownQueues); ++i) {
    text += fmt::format("{}stream {}: {}", i == 0 ? "" : ", ", s.queues[i].stream,
                        text_of(static_cast<double>(s.queues[i].bytes.value()), Measure::kBytes));
  }
  if (s.queues.size() > kShownQueues) {
    text += fmt::format(", {} more", s.queues.size() - kShownQueues);
  }
  return text;
}

std::string row_text(const Row& row, const Samples& samples, std::size_t columns) {
  std::string text =
      fmt::format("  {:<{}}{:>{}}", row.label, kLabelWidth,
                  text_of(latest(samples, row.signal, row.measure), row.measure), kValueWidth);
  constexpr std::size_t kTaken = 2 + kLabelWidth + kValueWidth + 2 + kValueWidth;
  if (columns < kTaken + 10) return text;
  const auto parts =
      parts_of(samples, row.signal, row.measure, samples.back().time, kMinute, columns - kTaken);
  double top = 0;
  for (const double part : parts) {
    if (part < kUnlimited) top = std::max(top, part);
  }
  return text + "  " + sparkline(parts, top) +
         fmt::format("{:>{}}", text_of(top, row.measure), kValueWidth);
}

}  // namespace

std::string text_of(double value, Measure measure) {
  switch (measure) {
    case Measure::kMilliseconds:
      return fmt::format("{:.{}f} ms", value, std::abs(value) < 99.95 ? 1 : 0);
    case Measure::kBytes: return value >= kUnlimited ? "no limit" : scaled(value, "B");
    case Measure::kBitRate: return scaled(value * 1e3, "bit/s");
    case Measure::kByteRate: return scaled(value * 8, "bit/s");
    case Measure::kCountRate: return fmt::format("{:.{}f} /s", value, value < 99.95 ? 1 : 0);
    case Measure::kNumber: break;
  }
  return fmt::format("{:.2f}", value);
}

std::vector<double> parts_of(const Samples& samples, Signal signal, Measure measure, Duration end,
                             Duration span, std::size_t parts) {
  std::vector<double> values(parts, std::numeric_limits<double>::quiet_NaN());
  if (parts == 0 || span < Duration(static_cast<std::int64_t>(parts))) return values;
  const Duration each = span / static_cast<std::int64_t>(parts);
  const std::int64_t first = end / each - static_cast<std::int64_t>(parts) + 1;
  const SignalSample* before = nullptr;  // the last sample of an earlier part
  const SignalSample* last = nullptr;
  std::int64_t current = 0;
  for (const SignalSample& s : samples) {
    const std::int64_t part = s.time / each - first;
    if (last != nullptr && part != current) before = last;
    current = part;
    last = &s;
    if (part < 0 || part >= static_cast<std::int64_t>(parts)) continue;
    double& value = values[static_cast<std::size_t>(part)];
    if (is_rate(measure)) {
      const SignalSample& from = before != nullptr ? *before : samples.front();
      if (s.time > from.time) value = rate(from[signal], s[signal], s.time - from.time);
    } else {
      value = std::isnan(value) ? s[signal] : std::max(value, s[signal]);
    }
  }
  return values;
}

double latest(const Samples& samples, Signal signal, Measure measure) {
  const SignalSample& last = samples.back();
  if (!is_rate(measure)) return last[signal];
  const SignalSample* before = &samples.front();
  for (auto s = samples.rbegin(); s != samples.rend(); ++s) {
    if (last.time - s->time < kRateOver) continue;
    before = &*s;
    break;
  }
  return rate((*before)[signal], last[signal], last.time - before->time);
}

std::string sparkline(std::span<const double> values, double top) {
  constexpr std::string_view kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (const double value : values) {
    if (std::isnan(value)) {
      text += ' ';
      continue;
    }
    const double share = top > 0 ? std::clamp(value / top, 0.0, 1.0) : 0.0;
    text += kBlocks[static_cast<std::size_t>(std::lround(share * 7))];
  }
  return text;
}

std::string cut_to(std::string text, std::size_t columns) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (begins && seen++ == columns) {
      text.resize(i);
      break;
    }
  }
  return text;
}

std::vector<ScreenLine> screen_of(const Samples& samples, const MonView& view, std::size_t columns,
                                  std::size_t rows) {
  const SignalSample& now = samples.back();
  std::vector<ScreenLine> lines;
  lines.push_back(
      {fmt::format("Qmon  {}  {}{}  at {}", printable(view.file), session_text(now, view),
                   view.sessions.size() > 1 && view.follows_newest ? ", the newest" : "",
                   time_text(now.time)),
       Emphasis::kTitle});
  if (view.silent >= kSilent) {
    lines.push_back({fmt::format("  no sample for {:.0f} s: the program or its sessions have ended",
                                 to_seconds(view.silent)),
                     Emphasis::kAlert});
  } else if (now[Signal::kInterrupted] != 0) {
    lines.push_back(
        {"  INTERRUPTED: no socket; messages wait until it is resumed", Emphasis::kAlert});
  } else {
    lines.push_back(
        {"  " + counted(now[Signal::kChannels], "socket", "sockets") + sockets_text(now),
         Emphasis::kNone});
  }
  for (const Row& row : kRows) {
    if (!row.heading.empty()) {
      const bool wide = columns > 60;
      lines.push_back({fmt::format("{:<{}}{}{:>{}}", row.heading, 2 + kLabelWidth + kValueWidth + 2,
                                   wide ? "the last minute" : "", wide ? "highest" : "",
                                   wide ? columns - 49 : 0),
                       Emphasis::kHeading});
    }
    lines.push_back({row_text(row, samples, columns), Emphasis::kNone});
  }
  lines.push_back({"queues", Emphasis::kHeading});
  lines.push_back({"  " + queues_text(now), Emphasis::kNone});
  lines.push_back(
      {view.sessions.size() > 1 ? "q quit   n next session   p previous   a the newest" : "q quit",
       Emphasis::kFaint});
  if (lines.size() > rows) lines.resize(rows);
  for (ScreenLine& line : lines) line.text = cut_to(std::move(line.text), columns);
  return lines;
}

// What goes by UDP beside them; empty: nothing does.
std::string udp_text(const SignalSample& s) {
  if (s[Signal::kUdp] == 0) return "";
  return fmt::format("; UDP: {:.0f} messages sent, {:.0f} received, {:.0f} datagrams lost",
                     s[Signal::kDatagramsSent], s[Signal::kDatagramsReceived],
                     s[Signal::kDatagramsLost]);
}

std::string line_of(const Samples& samples) {
  const SignalSample& s = samples.back();
  const auto text = [&](Signal signal, Measure measure) {
    return text_of(latest(samples, signal, measure), measure);
  };
  return fmt::format(
      "{} session {} {}  rtt {}  out {}  in {}  queued {}  oldest {}  cancelled {}  failovers "
      "{:.0f}{}\n",
      time_text(s.time), s.session, s.peer, text(Signal::kRtt, Measure::kMilliseconds),
      text(Signal::kSent, Measure::kByteRate), text(Signal::kReceived, Measure::kByteRate),
      text(Signal::kQueued, Measure::kBytes), text(Signal::kOldestUnacked, Measure::kMilliseconds),
      text(Signal::kCancelled, Measure::kCountRate), s[Signal::kFailovers],
      s[Signal::kInterrupted] != 0 ? "  interrupted" : "");
}

std::string summary_of(const Samples& samples, const MonView& view) {
  const SignalSample& s = samples.back();
  const auto text = [&](Signal signal, Measure measure) {
    return text_of(latest(samples, signal, measure), measure);
  };
  return fmt::format(
      "{}: {}, at {}\n"
      "  path       round trip {} (lowest {}, base {}), bandwidth {}, pressure {}\n"
      "  sending    {}, {} unacknowledged, the oldest for {}; window {}\n"
      "  queued     {} in {:.0f} messages: {}\n"
      "  messages   {:.0f} delivered, {:.0f} cancelled ({} never sent)\n"
      "  receiving  {}, {} in all{}\n"
      "  sockets    {:.0f}{}{}{}\n",
      printable(view.file), session_text(s, view), time_text(s.time),
      text(Signal::kRtt, Measure::kMilliseconds), text(Signal::kRttLow, Measure::kMilliseconds),
      text(Signal::kBaseRtt, Measure::kMilliseconds), text(Signal::kBandwidth, Measure::kBitRate),
      text(Signal::kPressure, Measure::kNumber), text(Signal::kSent, Measure::kByteRate),
      text(Signal::kUnacked, Measure::kBytes), text(Signal::kOldestUnacked, Measure::kMilliseconds),
      text(Signal::kWindow, Measure::kBytes), text(Signal::kQueued, Measure::kBytes),
      s[Signal::kQueuedMessages], queues_text(s), s[Signal::kDelivered], s[Signal::kCancelled],
      text(Signal::kCancelledBytes, Measure::kBytes), text(Signal::kReceived, Measure::kByteRate),
      text(Signal::kReceived, Measure::kBytes),
      s[Signal::kHeld] != 0 ? ", played after " + text(Signal::kHeld, Measure::kMilliseconds) : "",
      s[Signal::kChannels], sockets_text(s),
      s[Signal::kInterrupted] != 0 ? "; interrupted: no socket" : "", udp_text(s));
}

nlohmann::json json_of(const Samples& samples, const MonView& view) {
  const SignalSample& s = samples.back();
  nlohmann::json json = {{"file", view.file},
                         {"sessions", view.sessions},
                         {"time_s", to_seconds(s.time)},
                         {"session", s.session},
                         {"peer", s.peer}};
  for (std::size_t i = 0; i < paceline::kSignals; ++i) {
    const std::string name(paceline::kSignalNames[i]);
    const double value = s.values[i];
    // Bounded by kMaxSignal, so it fits.
    if (value == std::floor(value)) {
      json[name] = static_cast<std::int64_t>(value);
    } else {
      json[name] = value;
    }
  }
  nlohmann::json queues = nlohmann::json::object();
  for (const auto& queue : s.queues) queues[std::to_string(queue.stream)] = queue.bytes.value();
  json["queue_per_stream"] = std::move(queues);
  return json;
}

}  // namespace qvid::app
