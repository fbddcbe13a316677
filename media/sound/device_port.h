// Where a device's callback and the sound thread meet: a ring of samples, and beside it a ring of
// marks, which say what had passed when.
//
// A device that is opened anew begins an epoch: what the sound thread knew of the one before is
// worth nothing. begin() is called while no callback runs.
//
// Bounds: kPortFrames of sound, kPortMarks. A sound thread that is so late loses the newest.
//
// Thread: callback() one at a time; the rings' other ends are the sound thread's; begin() and end()
// that of who opens devices.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/units.h"
#include "media/sound/sound_block.h"
#include "media/sound/sound_ring.h"

namespace qvid::media {

inline constexpr std::size_t kPortFrames = 32'768;  // 0.7 s
inline constexpr std::size_t kPortMarks = 128;

// After a callback.
struct DeviceMark {
  std::uint32_t epoch = 0;
  Timestamp time{};
  std::int64_t device = 0;  // frames that the device has given or taken in this epoch
  std::int64_t ring = 0;    // frames that have passed through the ring in all
  std::size_t frames = 0;   // of this callback; capturing: those that went into the ring
  std::size_t left = 0;     // playing: frames left in the ring
  bool dry = false;         // playing: there were too few
};

// What both kinds share.
class DevicePort {
 public:
  explicit DevicePort(std::size_t channels)
      : samples_(kPortFrames * channels), marks_(kPortMarks), channels_(channels) {}

  // `latency`: of what lies behind the callbacks, as far as it is known.
  void begin(Duration latency) {
    latency_.store(latency.count(), std::memory_order_relaxed);
    device_ = 0;
    primed_ = false;
    epoch_.fetch_add(1, std::memory_order_release);
    open_.store(true, std::memory_order_release);
  }
  void end() { open_.store(false, std::memory_order_release); }

  bool open() const { return open_.load(std::memory_order_acquire); }
  // The one that runs, or ran last.
  std::uint32_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  Duration latency() const { return Duration(latency_.load(std::memory_order_relaxed)); }
  // Of all time: whether any come.
  std::int64_t callbacks() const { return callbacks_.load(std::memory_order_relaxed); }
  std::size_t channels() const { return channels_; }

 protected:
  void mark(DeviceMark mark) {
    mark.epoch = epoch_.load(std::memory_order_relaxed);
    mark.device = device_;
    mark.ring = ring_;
    marks_.put(std::span<const DeviceMark>(&mark, 1));
    callbacks_.fetch_add(1, std::memory_order_relaxed);
  }

  SoundRing samples_;
  SpscRing<DeviceMark> marks_;
  std::size_t channels_;
  // The callback's.
  std::int64_t device_ = 0;
  std::int64_t ring_ = 0;
  bool primed_ = false;

 private:
  std::atomic<bool> open_{false};
  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::int64_t> latency_{0};
  std::atomic<std::int64_t> callbacks_{0};
};

// Of a microphone.
class CapturePort : public DevicePort {
 public:
  using DevicePort::DevicePort;
  // The device gives samples. They are dropped where they do not fit.
  void callback(std::span<const float> samples, Timestamp now) {
    const std::size_t frames = samples.size() / channels_;
    device_ += static_cast<std::int64_t>(frames);
    const bool fits = samples_.put(samples);
    if (fits) ring_ += static_cast<std::int64_t>(frames);
    mark({.time = now, .frames = fits ? frames : 0});
  }
  SoundRing& samples() { return samples_; }
  SpscRing<DeviceMark>& marks() { return marks_; }
};

// Of loudspeakers.
class PlayPort : public DevicePort {
 public:
  using DevicePort::DevicePort;
  // The device wants samples: what there is, then silence. An epoch begins with silence, until
  // there is enough for a callback; what was meant for another device is dropped.
  void callback(std::span<float> samples, Timestamp now) {
    const std::size_t frames = samples.size() / channels_;
    if (device_ == 0) {
      ring_ += static_cast<std::int64_t>(samples_.drop(samples_.size()) / channels_);
    }
    primed_ = primed_ || samples_.size() >= samples.size();
    const std::size_t taken = primed_ ? samples_.take(samples) : 0;
    for (std::size_t i = taken; i < samples.size(); ++i) samples[i] = 0.0f;
    device_ += static_cast<std::int64_t>(frames);
    ring_ += static_cast<std::int64_t>(taken / channels_);
    mark({.time = now,
          .frames = frames,
          .left = samples_.size() / channels_,
          .dry = primed_ && taken < samples.size()});
  }
  SoundRing& samples() { return samples_; }
  SpscRing<DeviceMark>& marks() { return marks_; }
};

}  // namespace qvid::media
