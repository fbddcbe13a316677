#include "transport/session/monitor.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include "base/clock.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;

constexpr Duration kFlushEvery = std::chrono::seconds(1);
constexpr Duration kShortestInterval = std::chrono::milliseconds(1);
constexpr std::string_view kTimeName = "time_s";
constexpr std::string_view kSessionName = "session";
constexpr std::string_view kPeerName = "peer";
constexpr std::string_view kQueuesName = "queue_per_stream";
// Of a name in the file: "host:port" of any legal host fits.
constexpr std::size_t kMaxPeer = 300;

bool plain(char c) { return c > 0x20 && c < 0x7f && c != ',' && c != '"'; }

std::string plain_peer(std::string_view peer) {
  std::string text(peer.substr(0, kMaxPeer));
  std::ranges::replace_if(
      text, [](char c) { return !plain(c); }, '_');
  return text;
}

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

// Whole numbers as such, others with three digits: microseconds, bits.
void append(std::string& out, double value) {
  char text[48];
  const bool whole = value == std::floor(value);
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, whole ? 0 : 3);
  out.append(text, error == std::errc{} ? end : text);
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

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

SignalSample sample_of(const SessionSignals& s, const std::vector<StreamSignals>& streams) {
  const auto bytes = [](ByteCount b) { return static_cast<double>(b.value()); };
  const auto count = [](auto n) { return static_cast<double>(n); };
  SignalSample sample;
  sample.values = {qvid::to_ms(s.rtt),
                   qvid::to_ms(s.rtt_low),
                   qvid::to_ms(s.base_rtt),
                   s.bandwidth.kbps(),
                   s.pressure,
                   bytes(s.window),
                   count(s.competing),
                   bytes(s.unacked),
                   qvid::to_ms(s.oldest_unacked),
                   bytes(s.allowance),
                   bytes(s.queued),
                   count(s.queued_messages),
                   bytes(s.sent),
                   bytes(s.acked),
                   bytes(s.cancelled),
                   count(s.messages_delivered),
                   count(s.messages_cancelled),
                   bytes(s.received),
                   count(s.channels),
                   count(s.failovers),
                   count(s.peer_failovers),
                   count(s.resumptions),
                   count(s.interrupted),
                   count(s.small_segments),
                   count(s.express_sent),
                   count(s.express_received)};
  // A controller without a bound (`none`) has a window and an allowance beyond all measure.
  for (double& value : sample.values) {
    if (!std::isfinite(value)) value = 0;
    value = std::clamp(value, -SignalSample::kMaxSignal, SignalSample::kMaxSignal);
  }
  for (const StreamSignals& stream : streams) {
    if (stream.messages > 0) sample.queues.push_back({stream.stream.value(), stream.bytes});
  }
  if (sample.queues.size() > kMaxQueues) {
    std::ranges::nth_element(sample.queues, sample.queues.begin() + kMaxQueues, std::greater{},
                             &SignalSample::Queue::bytes);
    sample.queues.resize(kMaxQueues);
    std::ranges::sort(sample.queues, {}, &SignalSample::Queue::stream);
  }
  return sample;
}

std::string csv_header() {
  std::string line;
  line.append(kTimeName).append(",").append(kSessionName).append(",").append(kPeerName);
  for (const std::string_view name : kSignalNames) line.append(",").append(name);
  return line.append(",").append(kQueuesName).append("\n");
}

std::string csv_line(const SignalSample& sample) {
  char time[48];
  const double seconds = qvid::to_seconds(sample.time);
  const int length = std::snprintf(time, sizeof time, "%.3f", seconds);
  std::string line(time, static_cast<std::size_t>(std::max(length, 0)));
  line.append(",").append(std::to_string(sample.session));
  line.append(",").append(plain_peer(sample.peer));
  for (const double value : sample.values) append(line += ',', value);
  line += ',';
  for (std::size_t i = 0; i < sample.queues.size(); ++i) {
    if (i > 0) line += ';';
    line.append(std::to_string(sample.queues[i].stream)).append(":");
    line.append(std::to_string(sample.queues[i].bytes.value()));
  }
  return line += '\n';
}

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
    return qvid::Error{"it does not begin with a line of columns '" + std::string(kTimeName) + "," +
                       std::string(kSessionName) + ",...'"};
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
    if (name == kTimeName) what = kTime;
    if (name == kSessionName) what = kSession;
    if (name == kPeerName) what = kPeer;
    if (name == kQueuesName) what = kQueues;
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
      sample.peer = plain_peer(cell);
    } else if (column == kQueues) {
      sample.queues.clear();
      if (!read_queues(cell, sample.queues)) return false;
    }
  }
  return true;
}

// --- the log ---

SignalLog::SignalLog(boost::asio::io_context& io, fs::path path, SignalLogOptions options)
    : path_(std::move(path)),
      options_(std::move(options)),
      timer_(io),
      began_(qvid::steady_now()),
      flushed_(began_) {
  options_.interval = std::max(options_.interval, kShortestInterval);
}

SignalLog::~SignalLog() = default;

qvid::Result<std::unique_ptr<SignalLog>> SignalLog::open(boost::asio::io_context& io,
                                                         const fs::path& path,
                                                         SignalLogOptions options) {
  std::unique_ptr<SignalLog> log(new SignalLog(io, path, std::move(options)));
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  log->regular_ = !fs::exists(status) || fs::is_regular_file(status);
  log->link_ = fs::is_symlink(fs::symlink_status(path, ignored));
  if (fs::is_regular_file(status) && fs::file_size(path, ignored) > 0) {
    std::ifstream earlier(path);
    std::string line;
    std::getline(earlier, line);
    if (!line.starts_with(std::string(kTimeName) + "," + std::string(kSessionName))) {
      return qvid::Error{"'" + path.string() +
                         "' is there and is no log of signals: name another file"};
    }
  }
  if (const auto begun = log->begin_file(); !begun) return begun.error();
  return log;
}

qvid::Result<std::monostate> SignalLog::begin_file() {
  file_.close();
  file_.clear();
  if (regular_ && !link_) {
    fs::path earlier = path_;
    earlier += ".1";
    std::error_code error;
    fs::rename(path_, earlier, error);
    if (error && error != std::errc::no_such_file_or_directory) {
      return qvid::Error{"cannot move '" + path_.string() + "' away: " + error.message()};
    }
  }
  errno = 0;
  file_.open(path_, std::ios::binary | std::ios::trunc);
  const std::string header = csv_header();
  file_ << header << std::flush;
  if (!file_) {
    return qvid::Error{"cannot write '" + path_.string() + "': " + reason(errno)};
  }
  size_ = ByteCount::of(header.size());
  return std::monostate{};
}

std::uint64_t SignalLog::add(const std::shared_ptr<Session>& session) {
  sessions_.push_back({++last_number_, session});
  const Timestamp now = qvid::steady_now();
  write(*session, last_number_, now);
  if (armed_ == nullptr && !failed_) arm(now + options_.interval);
  return last_number_;
}

void SignalLog::remove(const Session& session) {
  const auto found = std::ranges::find_if(
      sessions_, [&](const Watched& w) { return w.session.lock().get() == &session; });
  if (found == sessions_.end()) return;
  write(session, found->number, qvid::steady_now());
  sessions_.erase(found);
  if (!sessions_.empty()) return;
  file_.flush();
  armed_.reset();
  timer_.cancel();
}

void SignalLog::arm(Timestamp at) {
  next_ = at;
  armed_ = std::make_shared<int>();
  timer_.expires_at(std::chrono::time_point_cast<std::chrono::steady_clock::duration>(at));
  timer_.async_wait([this, armed = std::weak_ptr(armed_)](const boost::system::error_code& error) {
    if (!error && !armed.expired()) on_timer(qvid::steady_now());
  });
}

void SignalLog::on_timer(Timestamp now) {
  armed_.reset();
  std::erase_if(sessions_, [](const Watched& w) { return w.session.expired(); });
  for (const Watched& watched : sessions_) {
    if (const auto session = watched.session.lock()) write(*session, watched.number, now);
  }
  if (now - flushed_ >= kFlushEvery || sessions_.empty()) {
    flushed_ = now;
    errno = 0;
    if (!failed_ && !file_.flush()) fail(reason(errno));
  }
  if (sessions_.empty() || failed_) return;
  // On a grid from the first sample on; times that were missed are left out.
  const auto behind = std::max(now - next_, Duration());
  arm(next_ + options_.interval * (1 + behind / options_.interval));
}

void SignalLog::write(const Session& session, std::uint64_t number, Timestamp now) {
  if (failed_) return;
  SignalSample sample = sample_of(session.signals(), session.stream_signals());
  sample.time = now - began_;
  sample.session = number;
  sample.peer = session.peer();
  const std::string line = csv_line(sample);
  if (regular_ && size_ + ByteCount::of(line.size()) > options_.max_file) {
    if (link_) return fail("it has reached its " + std::to_string(size_.value()) + " bytes");
    if (const auto begun = begin_file(); !begun) return fail(begun.error().message);
  }
  errno = 0;
  file_ << line;
  if (!file_) return fail(reason(errno));
  size_ += ByteCount::of(line.size());
  ++samples_;
}

void SignalLog::fail(const std::string& why) {
  failed_ = true;
  file_.close();
  armed_.reset();
  timer_.cancel();
  if (options_.on_trouble) {
    options_.on_trouble("the log of signals '" + path_.string() + "' ends here: " + why);
  }
}

}  // namespace paceline
