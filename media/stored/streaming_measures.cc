#include "media/stored/streaming_measures.h"

#include <algorithm>
#include <cmath>

namespace qvid::media {
namespace {

constexpr double kHalfLayer = 0.5;

}  // namespace

void StreamingMeasures::enter(State state, Timestamp at) {
  if (state_ == State::kEnded && state != State::kSeeking) return;
  if (state_ != State::kIdle && state_ != State::kEnded) {
    time_in_[static_cast<std::size_t>(state_)] += std::max(Duration::zero(), at - since_);
  }
  state_ = state;
  since_ = at;
}

void StreamingMeasures::opened(Timestamp at) {
  if (state_ != State::kIdle) return;
  opened_ = at;
  enter(State::kOpening, at);
}

void StreamingMeasures::received(FrameNumber number, Timestamp at) {
  if (last_received_ && number <= *last_received_) return;
  if (last_received_) {
    const auto frames = static_cast<double>(number.value() - last_received_->value());
    const double interval = to_seconds(at - last_reception_) / frames;
    const double off = interval - mean_;
    mean_ += off / static_cast<double>(++intervals_);
    squares_ += off * (interval - mean_);
  }
  last_received_ = number;
  last_reception_ = at;
}

void StreamingMeasures::shown(Duration frame_time, int layer, Timestamp at) {
  const int level = std::clamp(layer + 1, 1, static_cast<int>(kMaxUnits));
  if (!first_shown_) {
    first_shown_ = at;
    counted_.first_picture = at - opened_;
  }
  close_seconds(at);
  second_sum_ += level;
  ++second_count_;
  if (seek_) {
    if (counted_.seek_responses.size() < kMaxSeeks) counted_.seek_responses.push_back(at - *seek_);
    seek_.reset();
  } else if (level_ && *level_ != level) {
    ++counted_.switches;
  }
  level_ = level;
  ++counted_.pictures;
  time_at_[static_cast<std::size_t>(level)] += frame_time;
}

void StreamingMeasures::lost(Duration frame_time) {
  ++counted_.lost;
  time_at_[0] += frame_time;
}

// The seconds that are over by `at`.
void StreamingMeasures::close_seconds(Timestamp at) {
  if (!first_shown_) return;
  while (levels_.size() < kMaxSeconds &&
         at >= *first_shown_ + std::chrono::seconds(levels_.size() + 1)) {
    const double before = levels_.empty() ? 0.0 : static_cast<double>(levels_.back());
    levels_.push_back(static_cast<float>(second_count_ > 0 ? second_sum_ / second_count_ : before));
    second_sum_ = 0;
    second_count_ = 0;
  }
}

void StreamingMeasures::stalled(Timestamp at) {
  if (state_ != State::kPlaying) return;
  ++counted_.stalls;
  enter(State::kStalled, at);
}

void StreamingMeasures::resumed(Timestamp at) {
  if (state_ == State::kIdle || state_ == State::kPlaying) return;
  if (!counted_.start_up) counted_.start_up = at - opened_;
  enter(State::kPlaying, at);
}

void StreamingMeasures::paused(Timestamp at) {
  if (state_ != State::kIdle) enter(State::kPaused, at);
}

void StreamingMeasures::seek(Timestamp at) {
  if (state_ == State::kIdle) return;
  seek_ = at;
  last_received_.reset();
  if (state_ != State::kPaused) enter(State::kSeeking, at);
}

void StreamingMeasures::ended(Timestamp at) {
  close_seconds(at);
  enter(State::kEnded, at);
}

StreamingMeasures::Summary StreamingMeasures::summary(Timestamp now) const {
  Summary s = counted_;
  auto time_in = time_in_;
  if (state_ != State::kIdle && state_ != State::kEnded) {
    time_in[static_cast<std::size_t>(state_)] += std::max(Duration::zero(), now - since_);
  }
  s.played = time_in[static_cast<std::size_t>(State::kPlaying)];
  s.paused = time_in[static_cast<std::size_t>(State::kPaused)];
  s.stalled = time_in[static_cast<std::size_t>(State::kStalled)];
  const double running = to_seconds(s.played + s.stalled);
  if (running > 0) s.frame_rate = static_cast<double>(s.pictures) / running;
  Duration total{};
  for (const Duration time : time_at_) total += time;
  if (total > Duration::zero()) {
    for (std::size_t level = 0; level < time_at_.size(); ++level) {
      s.share[level] = to_seconds(time_at_[level]) / to_seconds(total);
      s.mean_level += static_cast<double>(level) * s.share[level];
    }
  }
  s.reception_mean = from_seconds(mean_);
  if (intervals_ > 1) {
    s.reception_deviation = from_seconds(std::sqrt(squares_ / static_cast<double>(intervals_ - 1)));
  }
  return s;
}

std::optional<Duration> StreamingMeasures::adaptation_time(Timestamp changed,
                                                           Timestamp until) const {
  if (!first_shown_ || until <= changed) return std::nullopt;
  const auto second_of = [&](Timestamp at) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(at - *first_shown_).count();
    return static_cast<std::size_t>(std::max<std::int64_t>(0, seconds));
  };
  const std::size_t from = second_of(changed);
  const std::size_t end = std::min(levels_.size(), second_of(until));
  if (from + kSettled > end) return std::nullopt;
  // Where it ends up: the mean of the last third, at least kSettled seconds.
  const std::size_t last = std::max(kSettled, (end - from) / 3);
  double target = 0;
  for (std::size_t i = end - last; i < end; ++i) target += static_cast<double>(levels_[i]);
  target /= static_cast<double>(last);
  std::size_t calm = 0;
  for (std::size_t i = from; i < end; ++i) {
    calm = std::abs(static_cast<double>(levels_[i]) - target) <= kHalfLayer ? calm + 1 : 0;
    if (calm < kSettled) continue;
    const Timestamp began = *first_shown_ + std::chrono::seconds(i + 1 - kSettled);
    return std::max(Duration::zero(), Duration(began - changed));
  }
  return std::nullopt;
}

}  // namespace qvid::media
