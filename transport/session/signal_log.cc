#include "transport/session/signal_log.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "transport/session/signal_csv.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;

constexpr Duration kFlushEvery = std::chrono::seconds(1);
constexpr Duration kShortestInterval = std::chrono::milliseconds(1);

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

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
    if (!line.starts_with(csv_beginning())) {
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
