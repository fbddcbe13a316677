// What would be heard, into a WAV file (16 bits, stereo, 48 kHz) at the clock's pace: for those who
// have no loudspeaker, and for measuring.
//
//   frame n of the file is heard at  first + n / kSoundRate,  also where time was skipped (silence)
//
// The header says at any time what was there kHeaderEvery ago at most, so that the file of a
// program that was killed can be read. Bound: kMostBytes; nothing more is written after that.
//
// Written by hand, in 30 lines: libavformat's muxer makes the header true at its end only, and knows
// no holes. What is read from a WAV file, SDL reads (ui/sound/wav_file.h).
//
// Thread: one; it writes to the disk there.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/sound/clock_output.h"

namespace qvid::media {

class WavOutput : public SoundOutput {
 public:
  static constexpr std::int64_t kHeaderEvery = kSoundRate / 2;  // frames
  // RIFF counts in 32 bits; some readers do with a sign. 3 hours.
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 31;

  // `on_begin`: told when the first frame is heard, once. Error: the file cannot be written.
  static Result<std::unique_ptr<WavOutput>> make(
      const std::string& path, std::function<void(Timestamp)> on_begin = [](Timestamp) {});
  ~WavOutput() override;

  std::size_t wanted(Timestamp now) override;
  Timestamp heard(Timestamp now) override;
  void write(std::span<const float> stereo) override;
  std::string description() const override { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;
  WavOutput(std::string path, File file, std::function<void(Timestamp)> on_begin);
  void write_header();

  std::string path_;
  File file_;
  std::function<void(Timestamp)> on_begin_;
  SoundPace pace_;
  std::int64_t in_file_ = 0;      // frames
  std::int64_t header_says_ = 0;  // frames
  bool full_ = false;             // or the disk is
  std::vector<unsigned char> bytes_;
};

}  // namespace qvid::media
