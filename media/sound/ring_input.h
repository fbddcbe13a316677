// The sound thread's side of a microphone: what its callbacks have put into the ring, with the time
// at which it was captured.
//
//   captured(frame) = clock(frame) - latency behind the callbacks
//
// While no device runs: silence at the clock's pace, kPatience behind `now`, and up to the first
// frame of one that comes back, so that the timeline goes on. What a device gives for a time that
// has been given already is dropped. Who comes so late that more than kMostWaiting waits gets the
// latest kKept of it.
//
// Pure, over the port. Thread: one.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "media/sound/device_clock.h"
#include "media/sound/device_port.h"
#include "media/sound/sound_device.h"

namespace qvid::media {

class RingInput : public SoundInput {
 public:
  // Without a callback for so long it does not run. Pulse and Bluetooth bring lumps of 50 ms.
  static constexpr Duration kPatience = std::chrono::milliseconds(150);
  static constexpr std::size_t kMostWaiting = kSoundTurn * 20;  // 200 ms
  static constexpr std::size_t kKept = kSoundTurn * 2;
  static constexpr std::size_t kMostAtOnce = kSoundTurn * 10;

  RingInput(std::shared_ptr<CapturePort> port, std::string description);
  ~RingInput() override { port_->end(); }

  bool read(Timestamp now, SoundBlock& block) override;
  bool is_microphone() const override { return true; }
  int channels() const override { return static_cast<int>(port_->channels()); }
  std::string description() const override { return description_; }

  bool runs(Timestamp now) const;
  std::int64_t dropped() const { return dropped_; }  // frames

 private:
  void take_marks();
  void on_mark(const DeviceMark& mark);
  void drop(std::int64_t frames);
  Timestamp captured() const;  // of the next frame in the ring
  bool silence(Timestamp until, SoundBlock& block);
  bool sound(SoundBlock& block);

  std::shared_ptr<CapturePort> port_;
  std::string description_;
  DeviceClock clock_;
  DeviceMark last_{};
  std::int64_t read_ = 0;  // frames, of the ring, in all
  std::int64_t dropped_ = 0;
  bool after_silence_ = false;
  std::optional<Timestamp> next_{};  // the end of what was given
};

}  // namespace qvid::media
