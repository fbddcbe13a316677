// Which place of a stored video is presented when: told by who plays the picture, followed by who
// plays the sound.
//
//   place(t) = place + speed * (t - at)   while time runs; it does not while the viewer pauses or goes
//                                      elsewhere, and while there is nothing to show
//
// The picture leads here and sound follows, unlike live (presentation_clock.h): time stands still
// where base is missing, and a viewer's pause and seek are of the picture. Both say what became of
// them, so that the error is measured and not assumed.
//
// Thread: any; every call is short.
#pragma once

#include <mutex>
#include <optional>

#include "base/units.h"

namespace qvid::media {

class PlayClock {
 public:
  struct Now {
    Duration place{};
    double speed = 1;
  };

  void run(Duration place, Timestamp at, double speed = 1) {
    const std::lock_guard lock(mutex_);
    line_ = Line{.place = place, .at = at, .speed = speed};
  }
  void stand() {
    const std::lock_guard lock(mutex_);
    line_.reset();
  }
  // Also of a time to come: as it will be if nothing happens. Empty: time stands still.
  std::optional<Now> at(Timestamp t) const {
    const std::lock_guard lock(mutex_);
    if (!line_) return std::nullopt;
    return Now{.place = line_->place_at(t), .speed = line_->speed};
  }

  // The picture of this place was shown then; the sound of this place is heard then.
  void on_shown(Duration place, Timestamp shown) {
    const std::lock_guard lock(mutex_);
    if (line_) picture_late_ = line_->place_at(shown) - place;
  }
  void on_heard(Duration place, Timestamp heard) {
    const std::lock_guard lock(mutex_);
    if (line_) sound_late_ = line_->place_at(heard) - place;
  }
  // By how much the latest picture was later than the sound of its place, in time of the video;
  // negative: earlier. Empty: there was only one of them.
  std::optional<Duration> sync_error() const {
    const std::lock_guard lock(mutex_);
    if (!picture_late_ || !sound_late_) return std::nullopt;
    return *picture_late_ - *sound_late_;
  }

 private:
  struct Line {
    Duration place{};
    Timestamp at{};
    double speed = 1;

    Duration place_at(Timestamp t) const {
      return place + std::chrono::duration_cast<Duration>((t - at) * speed);
    }
  };
  mutable std::mutex mutex_;
  std::optional<Line> line_;  // empty: time stands still
  std::optional<Duration> picture_late_;
  std::optional<Duration> sound_late_;
};

}  // namespace qvid::media
