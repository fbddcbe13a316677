// When what a party captured at an instant is presented here: one clock for its sound and picture.
//
//   presented(captured) = captured + lag        lag: with the difference of the two clocks in it
//
// Sound leads, picture follows: a gap or a jump of speed is heard at once, a picture that comes a
// few milliseconds sooner or later is not seen. So the lag is that of the sound at its output. The
// picture says what it needs at least, and the sound waits for it. Where no sound is heard (none is
// sent, or its playing has ended), the picture has a timeline of its own
// (media/playout/playout_clock.h).
//
// Sound is told when it is given to the device, which is before it is heard: the latest points are
// kept, and a lag is that of what is heard at the instant asked for. Bound: kMostPoints.
//
// Thread: any; every call is short.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <optional>

#include "base/units.h"

namespace qvid::media {

class PresentationClock {
 public:
  // Sound of which nothing was heard for so long does not lead any more.
  static constexpr Duration kFresh = std::chrono::milliseconds(500);
  // A picture that has said nothing for so long (paused, hidden) is not waited for.
  static constexpr Duration kPictureFresh = std::chrono::seconds(2);
  static constexpr std::size_t kMostPoints = 32;  // 320 ms: more than an output's latency

  // What was captured then is heard then. Silence that was not sent counts: its time passes too.
  void on_sound(Timestamp captured, Timestamp heard) {
    const std::lock_guard lock(mutex_);
    points_[(first_ + count_) % kMostPoints] = {.lag = heard - captured, .heard = heard};
    if (count_ < kMostPoints) {
      ++count_;
    } else {
      first_ = (first_ + 1) % kMostPoints;
    }
  }
  void on_sound_ended() {
    const std::lock_guard lock(mutex_);
    count_ = 0;
    error_.reset();
  }
  // The least lag at which pictures are decoded in time, as it is known at `now`.
  void on_picture_needs(Duration lag, Timestamp now) {
    const std::lock_guard lock(mutex_);
    picture_ = lag;
    picture_told_ = now;
  }
  void on_picture_ended() {
    const std::lock_guard lock(mutex_);
    picture_.reset();
    error_.reset();
  }
  // A picture has been shown: by how much later than the sound of its instant (negative: earlier);
  // empty where no sound leads.
  std::optional<Duration> on_shown(Timestamp captured, Timestamp shown) {
    const std::lock_guard lock(mutex_);
    error_.reset();
    if (const auto lag = lag_at(shown)) error_ = (shown - captured) - *lag;
    return error_;
  }

  // Of what is heard at `now`. Empty: no sound leads.
  std::optional<Duration> sound_lag(Timestamp now) const {
    const std::lock_guard lock(mutex_);
    return lag_at(now);
  }
  // Empty: there is no picture, or it has been silent.
  std::optional<Duration> picture_needs(Timestamp now) const {
    const std::lock_guard lock(mutex_);
    return now - picture_told_ < kPictureFresh ? picture_ : std::nullopt;
  }
  // Of the latest picture.
  std::optional<Duration> sync_error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  struct Point {
    Duration lag{};
    Timestamp heard{};
  };
  const Point& point(std::size_t index) const { return points_[(first_ + index) % kMostPoints]; }
  std::optional<Duration> lag_at(Timestamp now) const {
    if (count_ == 0 || now - point(count_ - 1).heard >= kFresh) return std::nullopt;
    std::size_t index = count_ - 1;
    while (index > 0 && point(index).heard > now) --index;
    return point(index).lag;
  }

  mutable std::mutex mutex_;
  std::array<Point, kMostPoints> points_{};
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::optional<Duration> picture_;
  Timestamp picture_told_{};
  std::optional<Duration> error_;
};

}  // namespace qvid::media
