// When a device's frames pass, on the steady clock: its callbacks come in lumps and late by chance,
// its quartz is not ours. A delay-locked loop of second order (F. Adriaensen, Using a DLL to filter
// time, 2005) follows offset and rate, so that times neither jitter nor drift:
//
//   error = at - time_of(frames)      time += sqrt(2) w dt error      rate += w^2 dt error
//
// w = 2 pi kBandwidth; wider in the first second, so that the first callback's chance is forgotten.
//
//   earlier than kEarly before its time   at once: nothing passes before it can
//   later than kLate                      a stall, and mostly a burst follows that makes it good:
//                                         believed once it has lasted kPatience
//
// Any times are harmless. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace qvid::media {

class DeviceClock {
 public:
  static constexpr double kFirstBandwidth = 1.0;  // Hz
  static constexpr double kBandwidth = 0.1;
  static constexpr Duration kSettling = std::chrono::seconds(1);
  static constexpr Duration kEarly = std::chrono::milliseconds(30);
  static constexpr Duration kLate = std::chrono::milliseconds(60);
  static constexpr Duration kPatience = std::chrono::milliseconds(500);
  // Quartz keeps 0.0005; devices that only pretend to be some (SDL's dummy) are far off.
  static constexpr double kMaxRate = 0.05;

  // Another device: nothing is known of it.
  void reset() { *this = DeviceClock(); }
  // By `at` it has passed so many frames in all.
  void on_frames(std::int64_t frames, Timestamp at);

  bool started() const { return started_; }
  // Precondition: started.
  Timestamp time_of(std::int64_t frame) const;
  // Its seconds per second of ours, minus one; positive: it is slow.
  double rate() const { return rate_; }
  std::int64_t steps() const { return steps_; }

 private:
  void restart(std::int64_t frames, Timestamp at);

  bool started_ = false;
  std::int64_t frame_ = 0;  // the reference: at time_
  Timestamp time_{};
  double rate_ = 0.0;
  Timestamp began_{};
  std::optional<Timestamp> late_since_;
  std::int64_t steps_ = 0;
};

}  // namespace qvid::media
