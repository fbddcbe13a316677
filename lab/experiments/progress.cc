#include "lab/experiments/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "lab/experiments/driver.h"

namespace qvid::lab {
namespace {

std::size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1u : 79u;
}

}  // namespace

Progress::Progress(std::vector<RunSpec> runs, std::size_t jobs)
    : runs_(std::move(runs)), jobs_(jobs) {}

void Progress::begin(std::size_t index, Timestamp now) {
  running_[index] = now;
  begun_ = std::max(begun_, index + 1);
  last_ = index;
}

void Progress::end(std::size_t index, Timestamp now) {
  const auto found = running_.find(index);
  if (found == running_.end()) return;
  overhead_ = std::max(overhead_, now - found->second - runs_[index].duration);
  running_.erase(found);
}

Duration Progress::time_left(Timestamp now) const {
  std::vector<Duration> waiting;
  std::vector<Duration> begun;
  Duration alone{};
  for (const auto& [index, since] : running_) begun.push_back(length_of(index) - (now - since));
  for (std::size_t i = begun_; i < runs_.size(); ++i) {
    if (runs_[i].alone()) {
      alone += length_of(i);
    } else {
      waiting.push_back(length_of(i));
    }
  }
  return time_for(waiting, begun, jobs_) + alone;
}

std::string Progress::count() const { return fmt::format("[{}/{}]", begun_, runs_.size()); }

std::string Progress::line_of_begin(Timestamp now) const {
  if (runs_.empty()) return {};
  return fmt::format("{} {}: {}, {} left", count(), printable(runs_[last_].name),
                     time_text(runs_[last_].duration), time_text(time_left(now)));
}

std::string Progress::status_line(Timestamp now) const {
  std::string text = count();
  std::string_view before = " ";
  for (const auto& [index, since] : running_) {
    text.append(before).append(printable(runs_[index].name));
    before = " | ";
  }
  return text + std::string(before) + time_text(time_left(now)) + " left";
}

std::string time_text(Duration time) {
  const double seconds = to_seconds(std::max(time, Duration::zero()));
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60);
}

ProgressDisplay::Mode ProgressDisplay::mode_of_stderr() {
  return isatty(STDERR_FILENO) == 1 ? Mode::kStatus : Mode::kLines;
}

void ProgressDisplay::begin(std::size_t index) {
  const std::lock_guard lock(mutex_);
  const Timestamp now = steady_now();
  progress_.begin(index, now);
  if (mode_ == Mode::kLines) fmt::print(stderr, "{}\n", progress_.line_of_begin(now));
  if (mode_ == Mode::kStatus) write_status();
}

void ProgressDisplay::end(std::size_t index) {
  const std::lock_guard lock(mutex_);
  progress_.end(index, steady_now());
  if (mode_ == Mode::kStatus) write_status();
}

void ProgressDisplay::refresh() {
  const std::lock_guard lock(mutex_);
  if (mode_ == Mode::kStatus) write_status();
}

void ProgressDisplay::clear() {
  const std::lock_guard lock(mutex_);
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

void ProgressDisplay::write_status() {
  std::string line = progress_.status_line(steady_now());
  // What would wrap could not be rewritten.
  if (const std::size_t width = terminal_width(); line.size() > width) line.resize(width);
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace qvid::lab
