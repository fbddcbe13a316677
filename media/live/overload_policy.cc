#include "media/live/overload_policy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace qvid::media {

bool OverloadPolicy::on_frame(Duration encoding, bool skipped, Timestamp now) {
  if (!begun_ || (now - encoding) - last_ > kIdle) {
    begun_ = true;
    began_ = calm_since_ = now - encoding;
    encoding_ = {};
    frames_ = skipped_ = 0;
    skipped = false;
  }
  last_ = now;
  encoding_ += encoding;
  ++frames_;
  if (skipped) ++skipped_;
  if (now - began_ < kWindow || frames_ < kLeastFrames) return false;
  const bool changed = judge(now);
  began_ = now;
  encoding_ = {};
  frames_ = skipped_ = 0;
  return changed;
}

bool OverloadPolicy::judge(Timestamp now) {
  const Overload measured{.encoding = encoding_ / frames_, .frame_time = frame_time(level_)};
  const double load = to_seconds(measured.encoding) / to_seconds(measured.frame_time);
  if (load > kTooMuch || skipped_ > kSkippedTooOften * frames_) {
    calm_since_ = now;
    if (level_ + 1 == levels_->size()) return false;
    overload_[level_] = measured;
    if (climbed_ != Timestamp::min()) {
      const bool soon = now - climbed_ < kFailedSoon;
      wait_[level_] = soon ? std::min(2 * wait_[level_], kLongestWait) : kFirstWait;
    }
    climbed_ = Timestamp::min();
    change_to(level_ + 1, now);
    return true;
  }
  if (level_ == 0) return false;
  const double more = at(level_ - 1).cost() / at(level_).cost();
  if (load * more >= kEnoughRoom) calm_since_ = now;
  if (now - calm_since_ < wait_[level_ - 1]) return false;
  climbed_ = now;
  change_to(level_ - 1, now);
  return true;
}

void OverloadPolicy::change_to(std::size_t level, Timestamp now) {
  level_ = level;
  calm_since_ = now;
}

namespace {

// As few digits as say it.
std::string number(double value) {
  char text[32];
  const bool whole = value >= 10 ? std::abs(value - std::round(value)) < 0.05 : false;
  std::snprintf(text, sizeof text, whole || value >= 100 ? "%.0f" : "%.1f", value);
  std::string digits = text;
  if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
  return digits;
}
std::string milliseconds(Duration d) {
  const double ms = to_ms(d);
  return number(ms >= 10 ? std::round(ms) : ms);
}

}  // namespace

std::string describe_limit(PictureSize size, double frames_per_second, const Overload& overload) {
  std::string text = std::to_string(size.width) + "x" + std::to_string(size.height) + " at " +
                     number(frames_per_second) + " fps: ";
  // Others on the machine keep the encoder from beginning in time.
  const bool busy =
      to_seconds(overload.encoding) <= OverloadPolicy::kTooMuch * to_seconds(overload.frame_time);
  if (busy) text += "the computer is busy, ";
  return text + "encoding takes " + milliseconds(overload.encoding) + " ms of " +
         milliseconds(overload.frame_time);
}

}  // namespace qvid::media
