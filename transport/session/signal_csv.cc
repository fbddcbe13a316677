#include "transport/session/signal_csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>

namespace paceline {
namespace {

// Of a name in the file: "host:port" of any legal host fits.
constexpr std::size_t kMaxPeer = 300;

bool plain(char c) { return c > 0x20 && c < 0x7f && c != ',' && c != '"'; }

// Whole numbers as such, others with three digits: microseconds, bits.
void append(std::string& out, double value) {
  char text[48];
  const bool whole = value == std::floor(value);
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, whole ? 0 : 3);
  out.append(text, error == std::errc{} ? end : text);
}

}  // namespace

std::string csv_peer(std::string_view peer) {
  std::string text(peer.substr(0, kMaxPeer));
  std::ranges::replace_if(
      text, [](char c) { return !plain(c); }, '_');
  return text;
}

std::string csv_beginning() { return std::string(kTimeColumn) + "," + std::string(kSessionColumn); }

std::string csv_header() {
  std::string line = csv_beginning();
  line.append(",").append(kPeerColumn);
  for (const std::string_view name : kSignalNames) line.append(",").append(name);
  return line.append(",").append(kQueuesColumn).append("\n");
}

std::string csv_line(const SignalSample& sample) {
  char time[48];
  const double seconds = qvid::to_seconds(sample.time);
  const int length = std::snprintf(time, sizeof time, "%.3f", seconds);
  std::string line(time, static_cast<std::size_t>(std::max(length, 0)));
  line.append(",").append(std::to_string(sample.session));
  line.append(",").append(csv_peer(sample.peer));
  for (const double value : sample.values) append(line += ',', value);
  line += ',';
  for (std::size_t i = 0; i < sample.queues.size(); ++i) {
    if (i > 0) line += ';';
    line.append(std::to_string(sample.queues[i].stream)).append(":");
    line.append(std::to_string(sample.queues[i].bytes.value()));
  }
  return line += '\n';
}

}  // namespace paceline
