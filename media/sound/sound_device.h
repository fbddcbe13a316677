// Where sound comes from and where it goes: microphones, files, a tone; loudspeakers, a file,
// nowhere. Devices are polled by one thread (sound_engine.h), every few milliseconds.
//
// A device that is lost goes on as silence at the clock's pace, says so once, and is tried again.
//
// Thread: one; what a device's own callback shares with it is the implementation's affair.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "base/units.h"
#include "media/sound/sound_block.h"

namespace qvid::media {

// How a device is, in a sentence for a person: "microphone 'Built-in' is lost; ...".
struct SoundStatus {
  enum class Of { kOther, kMicrophone, kLoudspeaker };
  bool ok = true;
  std::string text;
  Of of = Of::kOther;
  std::string device{};  // as it was asked for; empty: the system's default
  std::string why{};     // not ok: `text` without what is done about it
};
using OnSoundStatus = std::function<void(const SoundStatus&)>;  // any thread; must not block

class SoundOutput {
 public:
  virtual ~SoundOutput() = default;
  // Frames that it wants now so that it never runs dry: whole turns are written as long as it wants
  // one. Asked each few milliseconds; who comes later than 100 ms has skipped.
  virtual std::size_t wanted(Timestamp now) = 0;
  // When the first frame of the next write will be heard.
  virtual Timestamp heard(Timestamp now) = 0;
  virtual void write(std::span<const float> stereo) = 0;
  virtual std::string description() const = 0;
};

class SoundInput {
 public:
  virtual ~SoundInput() = default;
  // What has come since it was last asked, at most 100 ms, on one timeline without gaps while it
  // runs. False: nothing.
  virtual bool read(Timestamp now, SoundBlock& block) = 0;
  // Of somebody who speaks, with a room around: is to be processed.
  virtual bool is_microphone() const = 0;
  virtual int channels() const = 0;
  virtual std::string description() const = 0;
};

}  // namespace qvid::media
