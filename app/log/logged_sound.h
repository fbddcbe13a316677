// A loudspeaker and a microphone that write how loud it was, and when, to the output log: any
// device, wrapped.
//
// Levels come in blocks of OutputLog::kLevelFrames. A block's time is that of its first frame;
// where times do not follow, by more than kSteady, the block at hand is left and a jump is written.
//
// Thread: one, the sound thread; the disk is not touched here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "app/log/output_log.h"
#include "base/result.h"
#include "media/sound/sound_device.h"

namespace qvid::app {

class LevelLog {
 public:
  static constexpr Duration kSteady = std::chrono::milliseconds(5);

  // `kind`: of the blocks. With `beats`, seconds and jumps are written too.
  LevelLog(std::shared_ptr<OutputLog> log, const char* kind, bool beats)
      : log_(std::move(log)), kind_(kind), beats_(beats) {}

  void add(Timestamp first, std::span<const float> samples, int channels);

 private:
  std::shared_ptr<OutputLog> log_;
  const char* const kind_;
  const bool beats_;
  std::optional<Timestamp> next_;  // of the next frame
  std::int64_t frames_ = 0;        // of all time
  Timestamp block_begin_{};
  std::size_t in_block_ = 0;  // frames
  double energy_ = 0;         // of the block: the sum of squares over all channels
};

class LoggedOutput : public media::SoundOutput {
 public:
  LoggedOutput(std::unique_ptr<media::SoundOutput> inner, std::shared_ptr<OutputLog> log)
      : inner_(std::move(inner)), levels_(std::move(log), "sound", true) {}

  std::size_t wanted(Timestamp now) override { return inner_->wanted(now); }
  Timestamp heard(Timestamp now) override;
  void write(std::span<const float> stereo) override;
  std::string description() const override { return inner_->description(); }

 private:
  std::unique_ptr<media::SoundOutput> inner_;
  LevelLog levels_;
  std::optional<Timestamp> heard_;  // the next frame, as far as it was asked for
};

class LoggedInput : public media::SoundInput {
 public:
  LoggedInput(std::unique_ptr<media::SoundInput> inner, std::shared_ptr<OutputLog> log)
      : inner_(std::move(inner)), levels_(std::move(log), "spoken", false) {}

  bool read(Timestamp now, media::SoundBlock& block) override;
  bool is_microphone() const override { return inner_->is_microphone(); }
  int channels() const override { return inner_->channels(); }
  std::string description() const override { return inner_->description(); }

 private:
  std::unique_ptr<media::SoundInput> inner_;
  LevelLog levels_;
};

// The device with a log, or where there is none as it is. An empty loudspeaker becomes one at the
// clock's pace; an empty microphone stays none.
std::unique_ptr<media::SoundOutput> logged(std::unique_ptr<media::SoundOutput> speaker,
                                           const std::shared_ptr<OutputLog>& log);
std::unique_ptr<media::SoundInput> logged(std::unique_ptr<media::SoundInput> microphone,
                                          const std::shared_ptr<OutputLog>& log);

// Where `path` is empty: none.
Result<std::shared_ptr<OutputLog>> open_output_log(const std::string& path);

}  // namespace qvid::app
