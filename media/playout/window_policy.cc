#include "media/playout/window_policy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace qvid::media {
namespace {

constexpr std::size_t kSeconds = 60;
constexpr std::size_t kRecentSeconds = 2;

std::int64_t sum(const std::vector<std::int64_t>& counts, int from = 0) {
  return std::accumulate(counts.begin() + from, counts.end(), std::int64_t{0});
}

// More than `some` of the frames and more than `share` of them needed more than `size`, and not
// more than there is: the last count.
bool too_many(const std::vector<std::int64_t>& counts, int size, std::int64_t some, double share) {
  const std::int64_t late = sum(counts, size + 1) - counts.back();
  return late > some && static_cast<double>(late) > share * static_cast<double>(sum(counts));
}

std::string percent(std::int64_t part, std::int64_t whole) {
  const auto tenths = 1000 * part / std::max<std::int64_t>(1, whole);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

// As many frames of window as fit beside setup and decoding.
int largest_within(FrameRate rate, Duration max_delay) {
  const double frames = to_seconds(max_delay) * rate.per_second();
  const double window = std::floor(frames + 1e-6) - (kSetupFrames + kDecodeFrames);
  return static_cast<int>(std::clamp(window, double{kMinWindow}, double{kMaxWindow}));
}

}  // namespace

WindowPolicy::WindowPolicy(FrameRate rate, int window, WindowPolicyOptions options)
    : rate_(rate),
      largest_(largest_within(rate, options.max_delay)),
      wanted_(std::clamp(window, kMinWindow, largest_)),
      minute_(static_cast<std::size_t>(largest_) + 2),
      recent_(minute_.size()),
      bans_(minute_.size()) {}

void WindowPolicy::on_base(Timestamp now, Duration needed) {
  count(now, size_for(needed));
  decide(now);
}

void WindowPolicy::on_base_missing(FrameNumber number, Timestamp now, Duration waited) {
  // While the window that is played is on its way up, what is late says nothing of the wanted one.
  const bool tried = waited + rate_.frame_time() / 4 >= rate_.time_of(wanted_);
  const int at_least = size_for(waited + Duration(1));
  const int size = tried ? std::max(at_least, wanted_ + 1) : std::min(at_least, wanted_);
  count(now, size);
  unknown_.push_back({.number = number, .second = seconds_.back().began, .counted_as = size});
  if (unknown_.size() > kMaxUnknown) unknown_.pop_front();
  decide(now);
}

void WindowPolicy::on_base_late(FrameNumber number, Duration needed) {
  const auto unknown = std::find_if(unknown_.begin(), unknown_.end(),
                                    [&](const Unknown& u) { return u.number == number; });
  if (unknown == unknown_.end()) return;
  const auto from = static_cast<std::size_t>(unknown->counted_as);
  const auto to = static_cast<std::size_t>(size_for(needed));
  for (std::size_t i = 0; i < seconds_.size(); ++i) {
    if (seconds_[i].began != unknown->second) continue;
    --seconds_[i].counts[from];
    ++seconds_[i].counts[to];
    --minute_[from];
    ++minute_[to];
    if (i + kRecentSeconds >= seconds_.size()) {
      --recent_[from];
      ++recent_[to];
    }
  }
  unknown_.erase(unknown);
}

int WindowPolicy::size_for(Duration needed) const {
  if (needed <= rate_.time_of(kMinWindow)) return kMinWindow;
  if (needed > rate_.time_of(largest_)) return largest_ + 1;
  int size = static_cast<int>(needed / rate_.frame_time());
  while (rate_.time_of(size) < needed) ++size;
  return std::clamp(size, kMinWindow, largest_ + 1);
}

void WindowPolicy::count(Timestamp now, int size) {
  if (!std::exchange(started_, true)) changed_ = smaller_failed_ = now;
  const auto subtract = [](Counts& from, const Counts& counts) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= counts[i];
  };
  if (seconds_.empty() || now >= seconds_.back().began + 1s) {
    // Seconds are of frames: a silence is not calm, it only passes.
    if (seconds_.size() >= kRecentSeconds) {
      subtract(recent_, seconds_[seconds_.size() - kRecentSeconds].counts);
    }
    if (seconds_.size() == kSeconds) {
      subtract(minute_, seconds_.front().counts);
      seconds_.pop_front();
    }
    seconds_.push_back({.began = now, .counts = Counts(minute_.size())});
  }
  const auto at = static_cast<std::size_t>(size);
  ++seconds_.back().counts[at];
  ++minute_[at];
  ++recent_[at];
}

bool WindowPolicy::fails(int size) const {
  return too_many(recent_, size, 2, kMostLate) || too_many(minute_, size, 2, kWorrying);
}

void WindowPolicy::decide(Timestamp now) {
  if (wanted_ < largest_ && fails(wanted_)) return grow(now);
  if (wanted_ == kMinWindow) return;
  if (fails(wanted_ - 1)) smaller_failed_ = now;
  if (now >= changed_ + kCalm && now >= smaller_failed_ + kCalm && !banned(wanted_ - 1, now)) {
    shrink(now);
  }
}

void WindowPolicy::grow(Timestamp now) {
  const int before = wanted_;
  do ++wanted_;
  while (wanted_ < largest_ && fails(wanted_));
  for (int size = before; size < wanted_; ++size) {
    Ban& ban = bans_[static_cast<std::size_t>(size)];
    // A size that was good for long begins anew.
    const bool again = ban.length > Duration::zero() && now < ban.from + 2 * ban.length;
    ban = {.from = now, .length = again ? std::min(2 * ban.length, kLongestBan) : kBan};
  }
  changed_ = smaller_failed_ = now;
  reason_ = percent(sum(recent_, before + 1), sum(recent_)) + " of base units came late for " +
            std::to_string(before);
  if (wanted_ == largest_) reason_ += ", and the delay allows no more";
}

void WindowPolicy::shrink(Timestamp now) {
  --wanted_;
  changed_ = smaller_failed_ = now;
  reason_ = percent(sum(minute_, wanted_ + 1), sum(minute_)) + " of base units need more";
}

bool WindowPolicy::banned(int size, Timestamp now) const {
  const Ban& ban = bans_[static_cast<std::size_t>(size)];
  if (ban.length == Duration::zero() || now >= ban.from + ban.length) return false;
  return now < ban.from + kBan || sum(minute_, size + 1) > 0;
}

}  // namespace qvid::media
