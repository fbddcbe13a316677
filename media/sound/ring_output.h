// The sound thread's side of loudspeakers: keeps their ring filled, no more than needed, and knows
// when what is written next will be heard.
//
//   heard = clock(frames the device has taken + frames in the ring) + latency behind the callbacks
//
// How much is kept in the ring (`goal`, as a callback finds it at most) begins with a callback's
// frames and a turn; it grows by a turn whenever the ring ran dry, to kMostGoal, and shrinks by one
// after kCalm in which never less than two turns were left.
//
// While no device runs: the clock's pace, and what is written is lost.
//
// Pure, over the port. Thread: one.
#pragma once

#include <memory>
#include <string>

#include "media/sound/device_clock.h"
#include "media/sound/device_port.h"
#include "media/sound/sound_device.h"
#include "media/sound/sound_pace.h"

namespace qvid::media {

class RingOutput : public SoundOutput {
 public:
  static constexpr std::size_t kMostGoal = kSoundTurn * 20;  // 200 ms
  static constexpr Duration kCalm = std::chrono::seconds(20);
  // Without a callback for so long it does not run.
  static constexpr Duration kSilent = std::chrono::milliseconds(200);

  RingOutput(std::shared_ptr<PlayPort> port, std::string description);
  ~RingOutput() override { port_->end(); }

  std::size_t wanted(Timestamp now) override;
  Timestamp heard(Timestamp now) override;
  void write(std::span<const float> stereo) override;
  std::string description() const override { return description_; }

  bool runs(Timestamp now) const;
  std::size_t goal() const { return goal_; }
  std::int64_t dry() const { return dry_; }

 private:
  void take_marks();
  void on_mark(const DeviceMark& mark);
  std::size_t filled() const;

  std::shared_ptr<PlayPort> port_;
  std::string description_;
  DeviceClock clock_;
  DeviceMark last_{};
  std::int64_t written_ = 0;  // frames, into the ring, in all
  std::size_t goal_ = 0;
  std::size_t least_left_ = 0;  // since calm_since_
  Timestamp calm_since_{};
  std::int64_t dry_ = 0;
  bool runs_ = false;
  SoundPace pace_;
};

}  // namespace qvid::media
