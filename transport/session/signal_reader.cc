#include "transport/session/signal_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "transport/session/signal_csv.h"

namespace paceline {
namespace {

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> bounded(std::string_view text) {
  const auto value = number<double>(text);
  if (!value || !std::isfinite(*value) || std::abs(*value) > SignalSample::kMaxSignal) {
    return std::nullopt;
  }
  return value;
}

// Cuts the text at the first `separator`: what is before it is returned, `rest` keeps what follows.
std::string_view cut(std::string_view& rest, char separator) {
  const auto at = rest.find(separator);
  const std::string_view first = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return first;
}

bool read_queues(std::string_view text, std::vector<SignalSample::Queue>& queues) {
  while (!text.empty()) {
    std::string_view bytes = cut(text, ';');
    const auto stream = number<std::uint32_t>(cut(bytes, ':'));
    const auto size = number<std::int64_t>(bytes);
    if (!stream || !size || *size < 0 || queues.size() == kMaxQueues) return false;
    queues.push_back({*stream, ByteCount(*size)});
  }
  return true;
}

}  // namespace

qvid::Result<std::monostate> SignalReader::feed(std::string_view bytes,
                                                std::vector<SignalSample>& into) {
  while (!bytes.empty() && !refused_) {
    const auto newline = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, newline);
    if (!skipping_ && rest_.size() + piece.size() > kMaxLine) {
      skipping_ = true;
      rest_.clear();
      if (!has_header()) refused_ = true;
    }
    if (!skipping_) rest_.append(piece);
    if (newline == std::string_view::npos) break;
    bytes.remove_prefix(newline + 1);
    if (std::exchange(skipping_, false)) {
      ++bad_lines_;
      continue;
    }
    const std::string line = std::exchange(rest_, {});
    if (!has_header()) {
      refused_ = !read_header(line);
      continue;
    }
    SignalSample sample;
    if (read_line(line, sample)) {
      into.push_back(std::move(sample));
    } else {
      ++bad_lines_;
    }
  }
  if (refused_) {
    return qvid::Error{"it does not begin with a line of columns '" + csv_beginning() + ",...'"};
  }
  return std::monostate{};
}

bool SignalReader::read_header(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<int> columns;
  while (!line.empty()) {
    const std::string_view name = cut(line, ',');
    const auto signal = std::ranges::find(kSignalNames, name);
    int what = kUnknown;
    if (signal != kSignalNames.end()) what = static_cast<int>(signal - kSignalNames.begin());
    if (name == kTimeColumn) what = kTime;
    if (name == kSessionColumn) what = kSession;
    if (name == kPeerColumn) what = kPeer;
    if (name == kQueuesColumn) what = kQueues;
    columns.push_back(what);
  }
  if (std::ranges::count(columns, kTime) != 1 || std::ranges::count(columns, kSession) != 1 ||
      std::ranges::none_of(columns, [](int c) { return c >= 0; })) {
    return false;
  }
  columns_ = std::move(columns);
  return true;
}

bool SignalReader::read_line(std::string_view line, SignalSample& sample) const {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (std::ranges::count(line, ',') + 1 != static_cast<std::ptrdiff_t>(columns_.size())) {
    return false;
  }
  for (const int column : columns_) {
    const std::string_view cell = cut(line, ',');
    if (column >= 0) {
      const auto value = bounded(cell);
      if (!value) return false;
      sample.values[static_cast<std::size_t>(column)] = *value;
    } else if (column == kTime) {
      const auto seconds = bounded(cell);
      // Durations hold some hundred years.
      if (!seconds || *seconds < 0 || *seconds > 1e9) return false;
      sample.time = qvid::from_seconds(*seconds);
    } else if (column == kSession) {
      const auto session = number<std::uint64_t>(cell);
      if (!session) return false;
      sample.session = *session;
    } else if (column == kPeer) {
      sample.peer = csv_peer(cell);
    } else if (column == kQueues) {
      sample.queues.clear();
      if (!read_queues(cell, sample.queues)) return false;
    }
  }
  return true;
}

}  // namespace paceline
